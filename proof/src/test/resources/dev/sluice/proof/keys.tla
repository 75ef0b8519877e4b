-------------------------------- MODULE keys --------------------------------
(***************************************************************************)
(* Keys of one family: how a claim decides about many of them at once, and *)
(* how their numbers come, change and go.                                  *)
(*                                                                         *)
(* There are two keys, a and b. Key a may have numbers of its own: one     *)
(* that an operator set, which decides over the family's, and a first one  *)
(* that a submit brought, which counts while the family has none. No       *)
(* number at all is 0 here. The keys share a latch, or have one each.      *)
(*                                                                         *)
(* An exchange is one transaction of several statements; each step below   *)
(* is one of them. What it reads is what is committed when the step is     *)
(* taken, and what the transaction wrote itself (READ COMMITTED). What it  *)
(* writes is seen by others when it commits. Latches and locks of rows are *)
(* kept until then. The rules lock is held shared by every transaction     *)
(* that is under way; what holds it exclusively is one step that is taken  *)
(* when none is.                                                           *)
(*                                                                         *)
(*   Begin             exchange, up to search: ends are put on record, the *)
(*                     version is compared, candidates are locked          *)
(*   ReadNumbers       rooms_of, and numbered_among before the latches     *)
(*   TryLatch          latched                                             *)
(*   ReadNumbersAgain  latched: numbered_among after the latches           *)
(*   CompareVersion    admit                                               *)
(*   Look              look                                                *)
(*   Name              the rest of looked, admit_cold, choose, and the     *)
(*                     UPDATE in exchange                                  *)
(*   Commit            the commit, with put_back before it                 *)
(*   AskFirst, LatchFirst, GiveFirst        propose_limits, name_slots     *)
(*   AskPermit, LatchPermit, TakePermit     acquire_permit                 *)
(*   GiveBackPermit    free_slot                                           *)
(*   SetFamily, SetOwn set_limit, enforce                                  *)
(*   Forget            forget_limits                                       *)
(*   Reconcile, Recover  reconcile, recover                                *)
(*                                                                         *)
(* What holds, of each key with a number:                                  *)
(*   LimitHolds        no more jobs run and permits are held than the      *)
(*                     number says, or than are left of those that were    *)
(*                     there when it came                                  *)
(*   NeverMore         the same of the slots in use                        *)
(*   OneOwner          a slot is used by one worker or by one permit       *)
(*   AllNamed          each claimed job names a slot; without a number,    *)
(*                     none does                                           *)
(*   SlotsAreKnown     a worker that knows the version of the limits knows *)
(*                     the slots of its jobs                               *)
(***************************************************************************)
EXTENDS Integers, FiniteSets, TLC

CONSTANTS
  Workers, Permits,   \* a permit is a process that takes a slot of key a, and gives it back
  A, B,        \* the jobs of key a, and of key b
  Shared,      \* whether the keys have one latch in common
  Family,      \* the family's number at first
  Own,         \* the number that key a has from an operator at first
  Firsts,      \* the first numbers that a submit may bring for key a
  Families,    \* the numbers that the family may be given
  Owns,        \* the numbers that an operator may give key a
  Versions,    \* how often the version may be raised
  Deaths,      \* how many workers may die
  Retries,     \* whether jobs may come back: to be tried again, or not started at all
  Mutant,      \* what is left out or done wrong; "none" is the design
  NoWorker

VARIABLES
  rule,     \* the numbers on record: the family's, key a's from an operator, key a's first one
  version,  \* of the limits
  job,      \* the table of jobs, as committed
  permit,   \* the slot that each permit has, -1 = none, as committed
  latch,    \* which transactions have a latch: alone, or along with others
  tx,       \* the transaction of each worker, of each permit, and of the submit
  hand,     \* what its worker knows of a job: nothing, held, running, finished
  slot,     \* the slot that the worker knows its job by, -1 = none
  knows,    \* the version that a worker knows, -1 = it was told that there is another
  up,       \* which workers live
  deaths,
  cap       \* of each key: so many slots may be in use, by its number or because they were in use when it came

Jobs == A \cup B
Keys == {"a"} \cup (IF B = {} THEN {} ELSE {"b"})
KeyOf(j) == IF j \in A THEN "a" ELSE "b"
LatchOf(k) == IF Shared THEN "a" ELSE k
Submit == "submit"
Txns == Workers \cup Permits \cup {Submit}

Numbers == 0 .. Cardinality(Jobs) + Cardinality(Permits)
Lowest(count, from) == {n \in from : Cardinality({m \in from : m < n}) < count}
Max(x, y) == IF x > y THEN x ELSE y
Min(x, y) == IF x < y THEN x ELSE y

\* The number in force: an operator's before a submit's, and of those the key's own before its family's.
Number(r, k) ==
  IF k = "a" /\ r.own > 0 THEN r.own
  ELSE IF r.family > 0 THEN r.family
  ELSE IF k = "a" THEN r.first ELSE 0
Numbered(r) == IF r.own > 0 \/ r.first > 0 THEN {"a"} ELSE {}

Ready == [st |-> "ready", w |-> NoWorker, n |-> -1]
Done == [st |-> "done", w |-> NoWorker, n |-> -1]
NoJobs == [j \in {} |-> 0]

Idle == [pc |-> "idle", ended |-> {}, back |-> {}, cand |-> {}, numbered |-> {}, tried |-> {}, barred |-> {}, used |-> {},
         take |-> NoJobs, stale |-> FALSE, number |-> 0]

Init ==
  /\ rule = [family |-> Family, own |-> Own, first |-> 0]
  /\ version = 0
  /\ job = [j \in Jobs |-> Ready]
  /\ permit = [p \in Permits |-> -1]
  /\ latch = [k \in Keys |-> [alone |-> {}, along |-> {}]]
  /\ tx = [t \in Txns |-> Idle]
  /\ hand = [j \in Jobs |-> "nothing"]
  /\ slot = [j \in Jobs |-> -1]
  /\ knows = [w \in Workers |-> 0]
  /\ up = [w \in Workers |-> TRUE]
  /\ deaths = 0
  /\ cap = [k \in Keys |-> Number(rule, k)]

Its(w) == {j \in Jobs : job[j].st = "claimed" /\ job[j].w = w}
In(jobs, k) == {j \in jobs : KeyOf(j) = k}
Held(k) == IF k = "a" THEN {p \in Permits : permit[p] >= 0} ELSE {}

\* What a transaction sees: jobs that come back are put back with the commit.
View(w) == [j \in Jobs |-> IF j \in tx[w].ended \ tx[w].back THEN Done ELSE job[j]]

\* Which slots of a key are in use, and by which worker or permit.
InUse(view, k) ==
  {<<view[j].n, view[j].w>> : j \in {i \in In(Jobs, k) : view[i].st = "claimed" /\ view[i].n >= 0}}
  \cup {<<permit[p], p>> : p \in Held(k)}
SlotsOf(k) == {x[1] : x \in InUse(job, k)}

GiveUpLatches(t) == [k \in Keys |-> [alone |-> latch[k].alone \ {t}, along |-> latch[k].along \ {t}]]
TakeAlone(l, t) == [latch EXCEPT ![l].alone = @ \cup {t}]
IsFree(l, t) == latch[l].alone \cup latch[l].along \subseteq {t}

-----------------------------------------------------------------------------
\* The exchange.

\* It reports attempts that have ended: some jobs are done, some come back; so may jobs that have not started. If the worker
\* knows the limits, it locks candidates, skipping those that others have locked. Without any, there is nothing to claim.
Begin(w) ==
  /\ up[w] /\ tx[w].pc = "idle" /\ knows[w] = version
  /\ LET finished == {j \in Its(w) : hand[j] = "finished"}
         held == {j \in Its(w) : hand[j] = "held"}
         free == {j \in Jobs : job[j].st = "ready" /\ \A v \in Workers : j \notin tx[v].cand}
     IN \E back \in (IF Retries THEN SUBSET (finished \cup held) ELSE {{}}) : \E cand \in SUBSET free :
          /\ finished \cup back \cup cand # {}
          /\ tx' = [tx EXCEPT ![w] = [Idle EXCEPT !.pc = IF cand = {} THEN "commit" ELSE "numbers",
                                        !.ended = finished \cup back, !.back = back, !.cand = cand]]
  /\ UNCHANGED <<rule, version, job, permit, latch, hand, slot, knows, up, deaths>>

Wanted(w) == {KeyOf(j) : j \in tx[w].cand}

\* Keys of a family with a number, and keys with numbers of their own, are looked at; but not those that are barred.
LookAt(w, numbered) ==
  UNION {{<<k, x[1], x[2]>> : x \in InUse(View(w), k)} :
           k \in {k \in Wanted(w) : (rule.family > 0 \/ k \in numbered) /\ k \notin tx[w].barred}}

\* Whether the family has a number, and which keys have their own.
ReadNumbers(w) ==
  /\ tx[w].pc = "numbers"
  /\ LET numbered == Numbered(rule) \cap Wanted(w)
     IN tx' = [tx EXCEPT ![w].pc = "latch", ![w].numbered = numbered,
                         ![w].used = IF Mutant = "look before the latches" THEN LookAt(w, numbered) ELSE {}]
  /\ UNCHANGED <<rule, version, job, permit, latch, hand, slot, knows, up, deaths>>

\* The latches are tried, one by one. That of keys without a limit is taken along with others. A latch that is not to be had
\* bars its keys.
TryLatch(w) ==
  /\ tx[w].pc = "latch"
  /\ LET latches == {LatchOf(k) : k \in Wanted(w)}
     IN \E l \in latches \ tx[w].tried :
       LET keys == {k \in Wanted(w) : LatchOf(k) = l}
           alone == \/ rule.family > 0 /\ Mutant # "the latch is shared though the family has a number"
                    \/ keys \cap tx[w].numbered # {} /\ Mutant # "the latch is shared though the key has a number"
           gets == IF alone THEN IsFree(l, w) ELSE latch[l].alone \subseteq {w}
           tried == tx[w].tried \cup {l}
           next == IF tried # latches THEN "latch" ELSE IF rule.family = 0 THEN "again" ELSE "version"
       IN /\ latch' = IF ~gets THEN latch ELSE IF alone THEN TakeAlone(l, w) ELSE [latch EXCEPT ![l].along = @ \cup {w}]
          /\ tx' = [tx EXCEPT ![w].pc = next, ![w].tried = IF next = "latch" THEN tried ELSE {},
                      ![w].barred = IF gets \/ Mutant = "a latch that is not to be had bars nothing" THEN @ ELSE @ \cup keys]
  /\ UNCHANGED <<rule, version, job, permit, hand, slot, knows, up, deaths>>

\* A key that got its first number before its latch was the claim's is barred.
ReadNumbersAgain(w) ==
  /\ tx[w].pc = "again"
  /\ LET new == (Numbered(rule) \cap Wanted(w)) \ tx[w].numbered
     IN tx' = [tx EXCEPT ![w].pc = "version",
                         ![w].barred = IF Mutant = "the numbers are not read again" THEN @ ELSE @ \cup new]
  /\ UNCHANGED <<rule, version, job, permit, latch, hand, slot, knows, up, deaths>>

\* If jobs of the key were claimed then, their slots are news to this worker: it claims nothing, and is told so.
CompareVersion(w) ==
  /\ tx[w].pc = "version"
  /\ tx' = IF version = knows[w] \/ Mutant = "the version is not compared again"
           THEN [tx EXCEPT ![w].pc = "look"]
           ELSE [tx EXCEPT ![w] = [Idle EXCEPT !.pc = "commit", !.ended = tx[w].ended, !.back = tx[w].back, !.stale = TRUE]]
  /\ UNCHANGED <<rule, version, job, permit, latch, hand, slot, knows, up, deaths>>

Look(w) ==
  /\ tx[w].pc = "look"
  /\ tx' = [tx EXCEPT ![w].pc = "name",
                      ![w].used = CASE Mutant = "look before the latches" -> @
                                    [] Mutant = "keys of a family are not looked at" /\ rule.family > 0 -> {}
                                    [] OTHER -> LookAt(w, tx[w].numbered)]
  /\ UNCHANGED <<rule, version, job, permit, latch, hand, slot, knows, up, deaths>>

\* Keys with a room of their own; all others of the family have one in common. A key that a worker stands in line for has
\* its own too, which only keeps slots from the claim: here any claim may take fewer.
Apart(w) ==
  LET used == {x \in tx[w].used : Mutant = "a key in use by another worker is decided about as unused" => x[3] = w}
  IN {x[1] : x \in used} \cup tx[w].barred \cup tx[w].numbered

\* The slots for candidates of a key: free ones, the lowest, and those that jobs of this worker alone name; none while more
\* are in use than the number says. In the room of the family no slot is in use, of any of its keys. -1 = it needs none.
SlotsFor(w, k) ==
  LET apart == k \in Apart(w)
      number == IF apart /\ Mutant # "a key's own number is ignored" THEN Number(rule, k) ELSE rule.family
      used == IF apart THEN {x \in tx[w].used : x[1] = k} ELSE {}
      slots == {x[2] : x \in used}
      its == {n \in slots : \A x \in used : x[2] = n => x[3] = w}
      free == Max(Min(number - Cardinality(slots), Cardinality(In(tx[w].cand, k))), 0)
  IN IF number = 0 THEN {-1}
     ELSE Lowest(free, Numbers \ slots) \cup (IF Cardinality(slots) <= number THEN its ELSE {})

Name(w) ==
  /\ tx[w].pc = "name"
  /\ LET for == [k \in Wanted(w) |-> IF k \in tx[w].barred THEN {} ELSE SlotsFor(w, k)]
     IN \E take \in SUBSET tx[w].cand :
        \E names \in [take -> UNION {for[k] : k \in Wanted(w)}] :
          /\ \A j \in take : names[j] \in for[KeyOf(j)]
          /\ tx' = [tx EXCEPT ![w].pc = "commit", ![w].take = names, ![w].numbered = {}, ![w].barred = {}, ![w].used = {}]
  /\ UNCHANGED <<rule, version, job, permit, latch, hand, slot, knows, up, deaths>>

\* The commit, and its answer. The server may commit what a dead worker has begun.
Commit(w) ==
  /\ tx[w].pc = "commit"
  /\ LET t == tx[w]
         taken == DOMAIN t.take
     IN /\ job' = [j \in Jobs |-> CASE j \in taken -> [st |-> "claimed", w |-> w, n |-> t.take[j]]
                                    [] j \in t.back -> Ready
                                    [] j \in t.ended -> Done
                                    [] OTHER -> job[j]]
        /\ hand' = [j \in Jobs |-> CASE j \in taken /\ up[w] -> "held" [] j \in t.ended -> "nothing" [] OTHER -> hand[j]]
        /\ slot' = [j \in Jobs |-> CASE j \in taken /\ up[w] -> t.take[j] [] j \in t.ended -> -1 [] OTHER -> slot[j]]
        /\ knows' = IF t.stale THEN [knows EXCEPT ![w] = -1] ELSE knows
  /\ latch' = GiveUpLatches(w)
  /\ tx' = [tx EXCEPT ![w] = Idle]
  /\ UNCHANGED <<rule, version, permit, up, deaths>>

-----------------------------------------------------------------------------
\* The worker.

\* It runs one of the jobs that name a slot at a time; those without a slot as it likes.
Start(j) ==
  /\ hand[j] = "held" /\ j \notin tx[job[j].w].ended
  /\ \/ slot[j] = -1
     \/ \A i \in In(Its(job[j].w), KeyOf(j)) : hand[i] = "running" => slot[i] # slot[j]
  /\ hand' = [hand EXCEPT ![j] = "running"]
  /\ UNCHANGED <<rule, version, job, permit, latch, tx, slot, knows, up, deaths>>

Finish(j) ==
  /\ hand[j] = "running"
  /\ hand' = [hand EXCEPT ![j] = "finished"]
  /\ UNCHANGED <<rule, version, job, permit, latch, tx, slot, knows, up, deaths>>

\* It drops what it has not started, and is told the version, and the slots of its jobs.
Reconcile(w) ==
  /\ up[w] /\ tx[w].pc = "idle" /\ knows[w] # version
  /\ LET drops == {j \in Its(w) : hand[j] \in {"nothing", "held"}}
     IN /\ job' = [j \in Jobs |-> IF j \in drops THEN Ready ELSE job[j]]
        /\ hand' = [j \in Jobs |-> IF j \in drops THEN "nothing" ELSE hand[j]]
        /\ slot' = [j \in Jobs |-> IF j \in drops THEN -1 ELSE IF j \in Its(w) THEN job[j].n ELSE slot[j]]
  /\ knows' = [knows EXCEPT ![w] = version]
  /\ UNCHANGED <<rule, version, permit, latch, tx, up, deaths>>

\* A worker dies: its handlers stop before its lease is over.
Die(w) ==
  /\ up[w] /\ deaths < Deaths
  /\ up' = [up EXCEPT ![w] = FALSE]
  /\ deaths' = deaths + 1
  /\ hand' = [j \in Jobs |-> IF j \in Its(w) THEN "nothing" ELSE hand[j]]
  /\ slot' = [j \in Jobs |-> IF j \in Its(w) THEN -1 ELSE slot[j]]
  /\ UNCHANGED <<rule, version, job, permit, latch, tx, knows>>

\* Its connection is cut.
Abort(w) ==
  /\ ~up[w] /\ tx[w].pc # "idle"
  /\ latch' = GiveUpLatches(w)
  /\ tx' = [tx EXCEPT ![w] = Idle]
  /\ UNCHANGED <<rule, version, job, permit, hand, slot, knows, up, deaths>>

-----------------------------------------------------------------------------
\* A submit brings a first number for key a: it waits for the latch, and holds the rules lock shared.

AskFirst(n) ==
  /\ tx[Submit].pc = "idle" /\ Number(rule, "a") = 0 /\ version < Versions
  /\ tx' = [tx EXCEPT ![Submit].pc = "wait", ![Submit].number = n]
  /\ UNCHANGED <<rule, version, job, permit, latch, hand, slot, knows, up, deaths>>

LatchFirst ==
  /\ tx[Submit].pc = "wait"
  /\ IsFree(LatchOf("a"), Submit) \/ Mutant = "a first number comes without the latch"
  /\ latch' = IF Mutant = "a first number comes without the latch" THEN latch ELSE TakeAlone(LatchOf("a"), Submit)
  /\ tx' = [tx EXCEPT ![Submit].pc = "give"]
  /\ UNCHANGED <<rule, version, job, permit, hand, slot, knows, up, deaths>>

\* Each claimed job of the key names a slot of its own. There may be more of them than the number says: they drain.
SlotsOfTheirOwn(jobs, k) ==
  LET claimed == {j \in In(Jobs, k) : jobs[j].st = "claimed"}
      numbers == Lowest(Cardinality(claimed), Numbers \ {permit[p] : p \in Held(k)})
  IN {f \in [claimed -> numbers] : \A i, j \in claimed : i # j => f[i] # f[j]}
WithSlots(jobs, f) == [j \in Jobs |-> IF j \in DOMAIN f THEN [jobs[j] EXCEPT !.n = f[j]] ELSE jobs[j]]

\* It waits for the rows of these jobs: of those that an exchange ends, until that has committed.
GiveFirst ==
  /\ tx[Submit].pc = "give"
  /\ \A w \in Workers : In(tx[w].ended, "a") = {}
  /\ rule' = [rule EXCEPT !.first = tx[Submit].number]
  /\ \E f \in SlotsOfTheirOwn(job, "a") : job' = WithSlots(job, f)
  /\ version' = IF job' = job \/ Mutant = "a first number does not raise the version" THEN version ELSE version + 1
  /\ latch' = GiveUpLatches(Submit)
  /\ tx' = [tx EXCEPT ![Submit] = Idle]
  /\ UNCHANGED <<permit, hand, slot, knows, up, deaths>>

-----------------------------------------------------------------------------
\* Permits of key a, which has a number then. The transaction waits for the latch and holds nothing else.

AskPermit(p) ==
  /\ tx[p].pc = "idle" /\ permit[p] = -1 /\ Number(rule, "a") > 0
  /\ tx' = [tx EXCEPT ![p].pc = "wait"]
  /\ UNCHANGED <<rule, version, job, permit, latch, hand, slot, knows, up, deaths>>

LatchPermit(p) ==
  /\ tx[p].pc = "wait" /\ IsFree(LatchOf("a"), p)
  /\ latch' = TakeAlone(LatchOf("a"), p)
  /\ tx' = [tx EXCEPT ![p].pc = "insert"]
  /\ UNCHANGED <<rule, version, job, permit, hand, slot, knows, up, deaths>>

TakePermit(p) ==
  /\ tx[p].pc = "insert"
  /\ LET free == Lowest(Max(Number(rule, "a") - Cardinality(SlotsOf("a")), 0), Numbers \ SlotsOf("a"))
     IN permit' = [permit EXCEPT ![p] = IF free = {} THEN -1 ELSE CHOOSE n \in free : \A m \in free : n <= m]
  /\ latch' = GiveUpLatches(p)
  /\ tx' = [tx EXCEPT ![p] = Idle]
  /\ UNCHANGED <<rule, version, job, hand, slot, knows, up, deaths>>

GiveBackPermit(p) ==
  /\ permit[p] >= 0
  /\ permit' = [permit EXCEPT ![p] = -1]
  /\ UNCHANGED <<rule, version, job, latch, tx, hand, slot, knows, up, deaths>>

-----------------------------------------------------------------------------
\* What holds the rules lock exclusively.

NoneUnderWay == \A t \in Txns : tx[t].pc = "idle"

\* A key that had no number and has one now: its claimed jobs name slots. One that has none any more: they name none. Else
\* names stay, and what is too much drains.
Change(r) ==
  /\ NoneUnderWay \/ Mutant = "numbers change while claims are under way"
  /\ r # rule /\ version < Versions
  /\ rule' = r
  /\ LET gained == {k \in Keys : Number(rule, k) = 0 /\ Number(r, k) > 0}
         lost == {k \in Keys : Number(r, k) = 0}
         bare == [j \in Jobs |-> IF KeyOf(j) \in lost THEN [job[j] EXCEPT !.n = -1] ELSE job[j]]
     IN \E f \in (IF "a" \in gained THEN SlotsOfTheirOwn(bare, "a") ELSE {NoJobs}) :
        \E g \in (IF "b" \in gained THEN SlotsOfTheirOwn(bare, "b") ELSE {NoJobs}) :
          job' = WithSlots(WithSlots(bare, f), g)
  /\ version' = version + 1
  /\ UNCHANGED <<permit, latch, tx, hand, slot, knows, up, deaths>>

SetFamily(n) == Change([rule EXCEPT !.family = n])
SetOwn(n) == Change([rule EXCEPT !.own = n])

\* The first number of a key without unfinished jobs and permits is forgotten. No worker has to hear of it.
Forget ==
  /\ NoneUnderWay /\ rule.first > 0 /\ rule.own = 0
  /\ Held("a") = {} /\ \A j \in A : job[j].st = "done" \/ Mutant = "the number of a key with unfinished jobs is forgotten"
  /\ rule' = [rule EXCEPT !.first = 0]
  /\ UNCHANGED <<version, job, permit, latch, tx, hand, slot, knows, up, deaths>>

\* The jobs of a dead worker are ready, and with the same row what they named is free. Another worker takes its place.
Recover(w) ==
  /\ NoneUnderWay /\ ~up[w]
  /\ job' = [j \in Jobs |-> IF j \in Its(w) THEN Ready ELSE job[j]]
  /\ up' = [up EXCEPT ![w] = TRUE]
  /\ knows' = [knows EXCEPT ![w] = version]
  /\ UNCHANGED <<rule, version, permit, latch, tx, hand, slot, deaths>>

SubmitAgain(j) ==
  /\ job[j].st = "done"
  /\ job' = [job EXCEPT ![j] = Ready]
  /\ UNCHANGED <<rule, version, permit, latch, tx, hand, slot, knows, up, deaths>>

-----------------------------------------------------------------------------
Step ==
  \/ \E w \in Workers :
       \/ Begin(w) \/ ReadNumbers(w) \/ TryLatch(w) \/ ReadNumbersAgain(w) \/ CompareVersion(w) \/ Look(w) \/ Name(w) \/ Commit(w)
       \/ Reconcile(w) \/ Die(w) \/ Abort(w) \/ Recover(w)
  \/ \E j \in Jobs : Start(j) \/ Finish(j) \/ SubmitAgain(j)
  \/ \E n \in Firsts : AskFirst(n)
  \/ LatchFirst \/ GiveFirst
  \/ \E p \in Permits : AskPermit(p) \/ LatchPermit(p) \/ TakePermit(p) \/ GiveBackPermit(p)
  \/ \E n \in Families : SetFamily(n)
  \/ \E n \in Owns : SetOwn(n)
  \/ Forget

\* A key may have as many slots in use as its number says. When another number comes, those stay that are in use; as they end, they
\* are gone for good.
Next ==
  /\ Step
  /\ cap' = [k \in Keys |->
       LET number == Number(rule', k)
           inUse == Cardinality(SlotsOf(k)')
       IN IF number = 0 THEN 0
          ELSE IF number # Number(rule, k) THEN Max(number, inUse)
          ELSE Max(number, Min(cap[k], inUse))]

Spec == Init /\ [][Next]_<<rule, version, job, permit, latch, tx, hand, slot, knows, up, deaths, cap>>

Symmetry == Permutations(Workers) \cup Permutations(Permits) \cup Permutations(A) \cup Permutations(B)

-----------------------------------------------------------------------------
\* What is to hold.

Limited == {k \in Keys : Number(rule, k) > 0}
Running(k) == {j \in In(Jobs, k) : hand[j] = "running"}

LimitHolds == \A k \in Limited : Cardinality(Running(k)) + Cardinality(Held(k)) <= cap[k]

NeverMore == \A k \in Limited : Cardinality(SlotsOf(k)) <= cap[k]

OneOwner == \A k \in Limited : \A x, y \in InUse(job, k) : x[1] = y[1] => x[2] = y[2]

AllNamed == \A j \in Jobs : job[j].n >= 0 <=> job[j].st = "claimed" /\ KeyOf(j) \in Limited

SlotsAreKnown ==
  \A w \in Workers : up[w] /\ tx[w].pc = "idle" /\ knows[w] = version =>
    \A j \in Its(w) : hand[j] \in {"held", "running"} => slot[j] = job[j].n
=============================================================================
