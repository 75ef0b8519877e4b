-------------------------------- MODULE cold --------------------------------
(***************************************************************************)
(* Cold groups: a claimed job names its slots in its own row.              *)
(*                                                                         *)
(* An exchange is one transaction of several statements; each step below   *)
(* is one of them. What it reads is what is committed when the step is     *)
(* taken, and what the transaction wrote itself (READ COMMITTED). What it  *)
(* writes is seen by others when it commits. Locks of rows and latches are *)
(* kept until then. The rules lock is held shared by every transaction     *)
(* that is under way; recovery, which holds it exclusively, is one step    *)
(* that is taken when none is.                                             *)
(***************************************************************************)
EXTENDS Integers, FiniteSets, TLC

CONSTANTS
  Workers, Permits,   \* a permit is a process that takes one slot of the first group, and gives it back
  A, B, AB,           \* jobs of the first group, of the second, of both
  N,                  \* the limit of each group
  Depth,              \* how many jobs of a worker may name one slot
  Crashes,            \* how many workers may die
  Retries,            \* whether an attempt may end with the job ready again
  Shared,             \* whether the groups have one latch in common
  Mutant,             \* what is left out or done wrong; "none" is the design
  NoWorker

VARIABLES
  job,     \* the table of jobs, as committed
  permit,  \* the number that each permit has, -1 = none, as committed
  lock,    \* which transaction has the row of a job or of a permit locked
  latch,   \* which transaction has the latch of a group
  tx,      \* the transaction of each worker and of each permit
  hand,    \* what its worker knows of a job: nothing, held, running, finished
  up,      \* which workers live
  left,    \* groups whose jobs set aside a worker (or permit) has to call back in a later transaction
  swept,   \* groups that only the sweep can call jobs back for: the worker that had left them behind has died
  crashes,
  last     \* numbers that a worker has ever named (looked at by one mutant only)

vars == <<job, permit, lock, latch, tx, hand, up, left, swept, crashes, last>>

Jobs == A \cup B \cup AB
Groups == {"g"} \cup (IF B \cup AB = {} THEN {} ELSE {"h"})
GroupsOf(j) == (IF j \in A \cup AB THEN {"g"} ELSE {}) \cup (IF j \in B \cup AB THEN {"h"} ELSE {})
Txns == Workers \cup Permits
LatchOf(g) == IF Shared THEN "g" ELSE g
Numbers == 0 .. N - 1
NoNames == [g \in Groups |-> -1]
NoWrites == [j \in {} |-> 0]

Ready(lane) == [st |-> "ready", lane |-> lane, w |-> NoWorker, n |-> NoNames]
Done == [st |-> "done", lane |-> "home", w |-> NoWorker, n |-> NoNames]

Idle == [pc |-> "idle", todo |-> {}, back |-> {}, freed |-> {}, cand |-> {}, tried |-> {}, got |-> {},
         writes |-> NoWrites, seen |-> {}, number |-> -1]

Init ==
  /\ job = [j \in Jobs |-> Ready("home")]
  /\ permit = [p \in Permits |-> -1]
  /\ lock = [r \in Jobs \cup Permits |-> NoWorker]
  /\ latch = [g \in Groups |-> {}]
  /\ tx = [t \in Txns |-> Idle]
  /\ hand = [j \in Jobs |-> "nothing"]
  /\ up = [w \in Workers |-> TRUE]
  /\ left = [t \in Txns |-> {}]
  /\ swept = {}
  /\ crashes = 0
  /\ last = [w \in Workers |-> {}]

-----------------------------------------------------------------------------
\* What a transaction sees, and what the look makes of it.

View(t) == [j \in Jobs |-> IF j \in DOMAIN tx[t].writes THEN tx[t].writes[j] ELSE job[j]]

\* Which numbers of g are named or held, and by whom.
Named(view, g) ==
  {<<view[j].n[g], view[j].w>> : j \in {k \in Jobs : view[k].st = "claimed" /\ view[k].n[g] >= 0}}
  \cup (IF g = "g" THEN {<<permit[p], p>> : p \in {q \in Permits : permit[q] >= 0}} ELSE {})
NumbersOf(named) == {x[1] : x \in named}
Look(view) == UNION {{<<g, x[1], x[2]>> : x \in Named(view, g)} : g \in Groups}

Free(t, r) == lock[r] \in {NoWorker, t}
LockAll(t, rows) == [r \in DOMAIN lock |-> IF r \in rows THEN t ELSE lock[r]]
Merge(writes, more) == [j \in DOMAIN writes \cup DOMAIN more |-> IF j \in DOMAIN more THEN more[j] ELSE writes[j]]
Aside(view, g) == {j \in Jobs : view[j].st = "ready" /\ view[j].lane = g}

-----------------------------------------------------------------------------
\* The exchange.

\* It reports the attempts that have ended: some jobs are done, some come back.
Begin(w) ==
  /\ up[w] /\ tx[w].pc = "idle"
  /\ LET ended == {j \in Jobs : job[j].st = "claimed" /\ job[j].w = w /\ hand[j] = "finished"}
     IN \E back \in (IF Retries THEN SUBSET ended ELSE {{}}) :
          tx' = [tx EXCEPT ![w] = [Idle EXCEPT !.pc = "end", !.todo = ended, !.back = back,
                   !.freed = UNION {GroupsOf(j) : j \in ended} \cup left[w],
                   !.seen = IF Mutant = "call back in the statement of the end"
                            THEN {j \in Jobs : job[j].st = "ready" /\ job[j].lane # "home"} ELSE {}]]
  /\ left' = [left EXCEPT ![w] = {}]
  /\ UNCHANGED <<job, permit, lock, latch, hand, up, swept, crashes, last>>

\* It waits for each of their rows. Those that come back are only locked here, and put back at the end.
EndRow(w) ==
  /\ tx[w].pc = "end"
  /\ \E j \in tx[w].todo :
       /\ Free(w, j)
       /\ lock' = [lock EXCEPT ![j] = w]
       /\ tx' = [tx EXCEPT ![w].todo = @ \ {j},
                           ![w].writes = IF j \in tx[w].back THEN @ ELSE Merge(@, j :> Done)]
  /\ UNCHANGED <<job, permit, latch, hand, up, left, swept, crashes, last>>

\* A later statement: jobs set aside for their groups go back in line, but those that others have locked.
CallBack(w) ==
  /\ tx[w].pc = "end" /\ tx[w].todo = {}
  /\ LET view == View(w)
         aside == {j \in Jobs : view[j].st = "ready" /\ view[j].lane \in tx[w].freed
                     /\ (Mutant = "call back in the statement of the end" => j \in tx[w].seen)}
         called == {j \in aside : Free(w, j)}
     IN /\ lock' = LockAll(w, called)
        /\ tx' = [tx EXCEPT ![w].pc = "find", ![w].seen = {},
                            ![w].writes = Merge(@, [j \in called |-> Ready("home")]),
                            ![w].freed = {view[j].lane : j \in aside \ called}]
  /\ UNCHANGED <<job, permit, latch, hand, up, left, swept, crashes, last>>

\* The claim locks candidates, skipping what others have locked. A row that has left the line since the statement began is
\* not returned, but its lock stays: so some jobs set aside may be locked in vain.
Find(w) ==
  /\ tx[w].pc = "find"
  /\ LET view == View(w)
         ready == {j \in Jobs : view[j].st = "ready" /\ view[j].lane = "home" /\ Free(w, j)}
         gone == {j \in Jobs : job[j].st = "ready" /\ job[j].lane # "home" /\ lock[j] = NoWorker}
     IN \E cand \in SUBSET ready : \E vain \in (IF cand = {} THEN {{}} ELSE SUBSET gone) :
          /\ lock' = LockAll(w, cand \cup vain)
          /\ tx' = [tx EXCEPT ![w].pc = IF cand = {} THEN "commit" ELSE "latch", ![w].cand = cand,
                              ![w].seen = IF Mutant = "look by a snapshot from before the latch" THEN Look(view) ELSE {}]
  /\ UNCHANGED <<job, permit, latch, hand, up, left, swept, crashes, last>>

Wanted(w) == UNION {GroupsOf(j) : j \in tx[w].cand}

\* It tries the latches, one by one. It may have one already that two of its groups have in common.
TryLatch(w) ==
  /\ tx[w].pc = "latch"
  /\ \E g \in Wanted(w) \ tx[w].tried :
       LET l == IF Mutant = "claims and permits go by different latches" THEN "h" ELSE LatchOf(g)
           gets == latch[l] \subseteq {w} \/ Mutant \in {"the latch is not taken", "the latch is shared"}
       IN /\ Mutant = "a claim waits for latches" => gets
          /\ latch' = IF gets /\ Mutant # "the latch is not taken" THEN [latch EXCEPT ![l] = @ \cup {w}] ELSE latch
          /\ tx' = [tx EXCEPT ![w].tried = @ \cup {g}, ![w].got = IF gets THEN @ \cup {g} ELSE @]
  /\ UNCHANGED <<job, permit, lock, hand, up, left, swept, crashes, last>>

\* Then it looks, in a statement of its own, and gives each job that it takes a number in each group: one that nothing names,
\* or one that jobs of this worker name.
Name(w) ==
  /\ tx[w].pc = "latch" /\ tx[w].tried = Wanted(w)
  /\ LET view == View(w)
         looked == IF Mutant = "look by a snapshot from before the latch" THEN tx[w].seen ELSE Look(view)
         blind == Mutant = "a number named before is named again without a look"
         allowed == {j \in tx[w].cand :
                       IF Mutant = "a job is claimed with some of its slots"
                       THEN GroupsOf(j) \cap tx[w].got # {} ELSE GroupsOf(j) \subseteq tx[w].got}
         may(g, n) == \/ \A x \in looked : x[1] = g /\ x[2] = n => x[3] = w
                      \/ blind /\ <<g, n>> \in last[w]
                      \/ Mutant = "a group with a job of the worker is the worker's own" /\ \E x \in looked : x[1] = g /\ x[3] = w
         groups(j) == GroupsOf(j) \cap tx[w].got
         choices(j) == {n \in [Groups -> -1 .. N - 1] :
                          \A g \in Groups : IF g \in groups(j) THEN n[g] >= 0 /\ may(g, n[g]) ELSE n[g] = -1}
     IN \E take \in SUBSET allowed :
          \E names \in [take -> UNION {choices(j) : j \in take}] :
            /\ \A j \in take : names[j] \in choices(j)
            /\ \A g \in Groups : \A n \in Numbers :
                 LET mine == {j \in take : names[j][g] = n}
                 IN mine # {} => Cardinality(mine \cup {j \in Jobs : view[j].st = "claimed" /\ view[j].w = w /\ view[j].n[g] = n}) <= Depth
            /\ tx' = [tx EXCEPT ![w].pc = IF take = tx[w].cand THEN "commit" ELSE "aside", ![w].seen = {}, ![w].tried = {},
                 ![w].writes = Merge(@, [j \in take |-> [st |-> "claimed", lane |-> "home", w |-> w, n |-> names[j]]])]
  /\ UNCHANGED <<job, permit, lock, latch, hand, up, left, swept, crashes, last>>

\* Where a group is full, it locks the rows that fill it, skipping what others have locked. If these are enough, the jobs of
\* the group that are in line are set aside. Jobs that this exchange puts back are no filling.
SetAside(w) ==
  /\ tx[w].pc = "aside"
  /\ \E g \in UNION {GroupsOf(j) : j \in {k \in tx[w].cand : View(w)[k].st = "ready"}} \cap tx[w].got :
       LET view == View(w)
           fill == {j \in Jobs : /\ view[j].st = "claimed" /\ view[j].n[g] >= 0
                                 /\ Free(w, j) \/ Mutant = "set aside without locks"
                                 /\ j \in tx[w].back => Mutant = "jobs that are put back count as filling"}
           held == {p \in Permits : g = "g" /\ permit[p] >= 0
                      /\ (Free(w, p) \/ Mutant \in {"set aside without locks", "set aside without locks of permits"})}
           aside == {j \in Jobs : view[j].st = "ready" /\ view[j].lane = "home" /\ g \in GroupsOf(j) /\ Free(w, j)}
           rows == CASE Mutant = "set aside without locks" -> {}
                     [] Mutant = "set aside without locks of permits" -> fill
                     [] OTHER -> fill \cup held
       IN /\ Cardinality({view[j].n[g] : j \in fill} \cup {permit[p] : p \in held}) >= N
          /\ lock' = LockAll(w, rows \cup aside)
          /\ tx' = [tx EXCEPT ![w].pc = "commit", ![w].writes = Merge(@, [j \in aside |-> Ready(g)])]
  /\ UNCHANGED <<job, permit, latch, hand, up, left, swept, crashes, last>>

LeaveInLine(w) ==
  /\ tx[w].pc = "aside"
  /\ tx' = [tx EXCEPT ![w].pc = "commit"]
  /\ UNCHANGED <<job, permit, lock, latch, hand, up, left, swept, crashes, last>>

GiveUpLocks(t) ==
  /\ lock' = [r \in DOMAIN lock |-> IF lock[r] = t THEN NoWorker ELSE lock[r]]
  /\ latch' = [g \in Groups |-> latch[g] \ {t}]
  /\ tx' = [tx EXCEPT ![t] = Idle]

\* The commit, and its answer. The server may commit what a dead worker has begun.
Commit(w) ==
  /\ tx[w].pc = "commit"
  /\ LET view == View(w)
         after == [j \in Jobs |-> IF j \in tx[w].back THEN Ready("home") ELSE view[j]]
     IN /\ job' = after
        /\ hand' = [j \in Jobs |-> CASE job[j].w = w /\ after[j].st # "claimed" -> "nothing"
                                     [] job[j].st # "claimed" /\ after[j].st = "claimed" -> IF up[w] THEN "held" ELSE "nothing"
                                     [] OTHER -> hand[j]]
        /\ last' = IF Mutant = "a number named before is named again without a look"
                   THEN [last EXCEPT ![w] = @ \cup {<<g, after[j].n[g]>> : j \in DOMAIN tx[w].writes, g \in Groups}] ELSE last
  /\ IF up[w] THEN left' = [left EXCEPT ![w] = @ \cup tx[w].freed] /\ UNCHANGED swept
              ELSE swept' = swept \cup tx[w].freed /\ UNCHANGED left
  /\ GiveUpLocks(w)
  /\ UNCHANGED <<permit, up, crashes>>

-----------------------------------------------------------------------------
\* The worker runs one of the jobs that name a slot at a time.

Start(j) ==
  /\ hand[j] = "held"
  /\ \/ Mutant = "the worker runs two jobs in a slot"
     \/ \A k \in Jobs : hand[k] = "running" /\ job[k].w = job[j].w =>
          \A g \in GroupsOf(j) \cap GroupsOf(k) : job[k].n[g] # job[j].n[g]
  /\ hand' = [hand EXCEPT ![j] = "running"]
  /\ UNCHANGED <<job, permit, lock, latch, tx, up, left, swept, crashes, last>>

Finish(j) ==
  /\ hand[j] = "running"
  /\ hand' = [hand EXCEPT ![j] = "finished"]
  /\ UNCHANGED <<job, permit, lock, latch, tx, up, left, swept, crashes, last>>

Submit(j) ==
  /\ job[j].st = "done" /\ lock[j] = NoWorker
  /\ job' = [job EXCEPT ![j] = Ready("home")]
  /\ UNCHANGED <<permit, lock, latch, tx, hand, up, left, swept, crashes, last>>

\* A worker dies: its handlers stop before its lease is over.
Crash(w) ==
  /\ up[w] /\ crashes < Crashes
  /\ up' = [up EXCEPT ![w] = FALSE]
  /\ crashes' = crashes + 1
  /\ hand' = [j \in Jobs |-> IF job[j].w = w THEN "nothing" ELSE hand[j]]
  /\ swept' = swept \cup left[w]
  /\ left' = [left EXCEPT ![w] = {}]
  /\ UNCHANGED <<job, permit, lock, latch, tx, last>>

\* Its connection is cut. What its exchange wanted to call back is called by recovery, or by the next end.
Abort(w) ==
  /\ ~up[w] /\ tx[w].pc # "idle"
  /\ swept' = swept \cup (IF tx[w].pc = "end" THEN tx[w].freed \ UNION {GroupsOf(j) : j \in {k \in Jobs : job[k].w = w}} ELSE {})
  /\ GiveUpLocks(w)
  /\ UNCHANGED <<job, permit, hand, up, left, crashes, last>>

\* Recovery, under the rules lock: the jobs are ready, and with the same row what they named is free.
Recover(w) ==
  /\ ~up[w] /\ \A t \in Txns : tx[t].pc \in {"idle", "again"}
  /\ LET its == {j \in Jobs : job[j].st = "claimed" /\ job[j].w = w}
         freed == IF Mutant = "recovery calls no job back" THEN {} ELSE UNION {GroupsOf(j) : j \in its}
     IN job' = [j \in Jobs |->
          CASE j \in its -> IF Mutant = "recovery leaves names" THEN [job[j] EXCEPT !.st = "ready", !.w = NoWorker] ELSE Ready("home")
            [] job[j].st = "ready" /\ job[j].lane \in freed -> Ready("home")
            [] OTHER -> job[j]]
  /\ up' = [up EXCEPT ![w] = TRUE]
  /\ UNCHANGED <<permit, lock, latch, tx, hand, left, swept, crashes, last>>

-----------------------------------------------------------------------------
\* Permits. The process that takes one waits for the latch, and holds nothing else meanwhile.

Ask(p) ==
  /\ tx[p].pc = "idle" /\ permit[p] = -1
  /\ tx' = [tx EXCEPT ![p].pc = "wait"]
  /\ UNCHANGED <<job, permit, lock, latch, hand, up, left, swept, crashes, last>>

Latch(p) ==
  /\ tx[p].pc = "wait" /\ latch[LatchOf("g")] = {}
  /\ latch' = [latch EXCEPT ![LatchOf("g")] = {p}]
  /\ tx' = [tx EXCEPT ![p].pc = "look"]
  /\ UNCHANGED <<job, permit, lock, hand, up, left, swept, crashes, last>>

Choose(p) ==
  /\ tx[p].pc = "look"
  /\ LET free == Numbers \ NumbersOf(Named(job, "g"))
     IN tx' = [tx EXCEPT ![p].pc = "insert", ![p].number = IF free = {} THEN -1 ELSE CHOOSE n \in free : \A m \in free : n <= m]
  /\ UNCHANGED <<job, permit, lock, latch, hand, up, left, swept, crashes, last>>

Take(p) ==
  /\ tx[p].pc = "insert"
  /\ permit' = [permit EXCEPT ![p] = tx[p].number]
  /\ GiveUpLocks(p)
  /\ UNCHANGED <<job, hand, up, left, swept, crashes, last>>

\* The process that gives one back waits for its row, then calls jobs back, in a later statement; those that others have locked, in a later
\* transaction that waits for them.
GiveBack(p) ==
  /\ tx[p].pc = "idle" /\ permit[p] >= 0 /\ lock[p] = NoWorker
  /\ lock' = [lock EXCEPT ![p] = p]
  /\ tx' = [tx EXCEPT ![p].pc = "free"]
  /\ UNCHANGED <<job, permit, latch, hand, up, left, swept, crashes, last>>

CallForPermit(p) ==
  /\ tx[p].pc = "free"
  /\ LET aside == Aside(job, "g")
         called == {j \in aside : lock[j] = NoWorker}
     IN /\ lock' = LockAll(p, called)
        /\ tx' = [tx EXCEPT ![p].pc = "gone", ![p].writes = [j \in called |-> Ready("home")],
                            ![p].freed = IF aside = called THEN {} ELSE {"g"}]
  /\ UNCHANGED <<job, permit, latch, hand, up, left, swept, crashes, last>>

Gone(p) ==
  /\ tx[p].pc = "gone"
  /\ permit' = [permit EXCEPT ![p] = -1]
  /\ job' = View(p)
  /\ lock' = [r \in DOMAIN lock |-> IF lock[r] = p THEN NoWorker ELSE lock[r]]
  /\ tx' = [tx EXCEPT ![p] = [Idle EXCEPT !.pc = IF tx[p].freed = {} THEN "idle" ELSE "again"]]
  /\ UNCHANGED <<latch, hand, up, left, swept, crashes, last>>

CallAgain(p) ==
  /\ tx[p].pc = "again"
  /\ \A j \in Aside(job, "g") : lock[j] = NoWorker
  /\ job' = [j \in Jobs |-> IF j \in Aside(job, "g") THEN Ready("home") ELSE job[j]]
  /\ tx' = [tx EXCEPT ![p] = Idle]
  /\ UNCHANGED <<permit, lock, latch, hand, up, left, swept, crashes, last>>

-----------------------------------------------------------------------------
Next ==
  \/ \E w \in Workers :
       \/ Begin(w) \/ EndRow(w) \/ CallBack(w) \/ Find(w) \/ TryLatch(w) \/ Name(w) \/ SetAside(w) \/ LeaveInLine(w) \/ Commit(w)
       \/ Crash(w) \/ Abort(w) \/ Recover(w)
  \/ \E p \in Permits :
       Ask(p) \/ Latch(p) \/ Choose(p) \/ Take(p) \/ GiveBack(p) \/ CallForPermit(p) \/ Gone(p) \/ CallAgain(p)
  \/ \E j \in Jobs : Start(j) \/ Finish(j) \/ Submit(j)

Spec == Init /\ [][Next]_vars

Symmetry == Permutations(Workers) \cup Permutations(Permits) \cup Permutations(A) \cup Permutations(B) \cup Permutations(AB)

-----------------------------------------------------------------------------
\* What is to hold.

Running(g) == {j \in Jobs : hand[j] = "running" /\ g \in GroupsOf(j)}
Held(g) == IF g = "g" THEN {p \in Permits : permit[p] >= 0} ELSE {}

\* No more jobs run and permits are held than the limit says.
LimitHolds == \A g \in Groups : Cardinality(Running(g)) + Cardinality(Held(g)) <= N

\* A number is named by the jobs of one worker or held by one permit, and there are at most N.
OneOwner == \A g \in Groups : \A x, y \in Named(job, g) : x[1] = y[1] => x[2] = y[2]
AtMostN == \A g \in Groups : Cardinality(NumbersOf(Named(job, g))) <= N

\* A claimed job names a slot in each of its groups; no other job names any.
AllOrNothing == \A j \in Jobs : job[j].st = "claimed" => {g \in Groups : job[j].n[g] >= 0} = GroupsOf(j)
OnlyClaimedJobsName == \A j \in Jobs : job[j].st # "claimed" => job[j].n = NoNames

\* NoWorker waits in a circle.
WaitsFor(t) ==
  IF t \in Workers
  THEN (IF tx[t].pc = "end" THEN {lock[j] : j \in tx[t].todo} \ {NoWorker, t} ELSE {})
       \cup (IF tx[t].pc = "latch" /\ Mutant = "a claim waits for latches"
             THEN UNION {latch[LatchOf(g)] : g \in Wanted(t) \ tx[t].tried} \ {t} ELSE {})
  ELSE IF tx[t].pc = "wait" THEN latch[LatchOf("g")] \ {t}
  ELSE IF tx[t].pc = "again" THEN {lock[j] : j \in Aside(job, "g")} \ {NoWorker}
  ELSE {}
NoDeadlock == \A some \in SUBSET Txns \ {{}} : \E t \in some : WaitsFor(t) \cap some = {}

\* When nothing is under way, a job is set aside for a group with room only if somebody is going to call it back.
NoneForgotten ==
  (\A t \in Txns : tx[t].pc \in {"idle", "again"}) /\ (\A w \in Workers : up[w]) =>
    \A j \in Jobs : job[j].st = "ready" /\ job[j].lane # "home" =>
      LET g == job[j].lane
      IN \/ Cardinality(NumbersOf(Named(job, g))) >= N
         \/ g \in swept
         \/ \E w \in Workers : g \in left[w]
         \/ g = "g" /\ \E p \in Permits : tx[p].pc = "again"
=============================================================================
