-------------------------------- MODULE heat --------------------------------
(***************************************************************************)
(* One group whose limit comes, changes and goes, and which becomes hot.   *)
(*                                                                         *)
(* How a claim finds a free number is shown in cold.tla; here it is one    *)
(* step. What is at stake is what workers know: an exchange begins, is     *)
(* carried out, and is answered, and the rules change meanwhile. Changes   *)
(* hold the rules lock exclusively, so none comes between the beginning of *)
(* an exchange and its commit. There is one exception: a key gets its      *)
(* first number under its latch.                                           *)
(***************************************************************************)
EXTENDS Integers, FiniteSets, TLC

CONSTANTS
  Workers, Jobs,
  Limits,     \* the numbers that the limit may be
  First,      \* the limit at first, 0 = none
  Keyed,      \* whether the group is a key: it stays cold, and its first number comes under its latch
  Depth,      \* how many jobs a worker may have for one slot
  Permits,    \* how many permits there may be
  Versions,   \* how often the rules may change
  Mutant,    \* what is left out or done wrong; "none" is the design
  NoWorker

VARIABLES
  limit, mode, version,  \* the rules: no limit, cold or hot
  job,      \* the table of jobs
  lent,     \* slots lent to workers: number and token
  permits,  \* the numbers that permits have
  hand,     \* what its worker knows of a job: nothing, held, running, finished
  slot,     \* the number that the worker knows its job by, -1 = none
  has,      \* the slots that a worker knows it has
  knows,    \* the rules that a worker knows
  call,     \* the exchange of a worker
  cap       \* what is on record may be so much: the limit, or what is left of what was there when it came

vars == <<limit, mode, version, job, lent, permits, hand, slot, has, knows, call, cap>>

Numbers == 0 .. Cardinality(Jobs) + Permits
Lowest(k, from) == {n \in from : Cardinality({m \in from : m < n}) < k}
Max(a, b) == IF a > b THEN a ELSE b
Min(a, b) == IF a < b THEN a ELSE b

Ready == [st |-> "ready", w |-> NoWorker, n |-> -1]
Done == [st |-> "done", w |-> NoWorker, n |-> -1]
NoCall == [pc |-> "none", seen |-> 0, gives |-> {}, jobs |-> {}, slots |-> {}]

Init ==
  /\ limit = First /\ mode = (IF First = 0 THEN "none" ELSE "cold") /\ version = 0
  /\ job = [j \in Jobs |-> Ready]
  /\ lent = [w \in Workers |-> {}]
  /\ permits = {}
  /\ hand = [j \in Jobs |-> "nothing"]
  /\ slot = [j \in Jobs |-> -1]
  /\ has = [w \in Workers |-> {}]
  /\ knows = [w \in Workers |-> [version |-> 0, mode |-> mode, stale |-> FALSE]]
  /\ call = [w \in Workers |-> NoCall]
  /\ cap = First

Its(w) == {j \in Jobs : job[j].st = "claimed" /\ job[j].w = w}
NamesOf(w) == {job[j].n : j \in Its(w)} \ {-1}
LentTo(w) == {s[1] : s \in lent[w]}
RecordOf(w) == NamesOf(w) \cup LentTo(w)
Record == permits \cup UNION {RecordOf(w) : w \in Workers}
RunningAt(w) == {j \in Its(w) : hand[j] = "running"}

-----------------------------------------------------------------------------
\* The exchange.

\* The worker sends it, with slots that it does not need; the exchange gets the rules lock, shared, and reads the version.
Send(w) ==
  /\ call[w].pc = "none" /\ ~knows[w].stale
  /\ \E gives \in SUBSET has[w] :
       /\ knows[w].mode = "hot" => Cardinality(RunningAt(w)) <= Cardinality(has[w] \ gives)
       /\ call' = [call EXCEPT ![w] = [NoCall EXCEPT !.pc = "sent", !.seen = version, !.gives = gives]]
       /\ has' = [has EXCEPT ![w] = @ \ gives]
  /\ UNCHANGED <<limit, mode, version, job, lent, permits, hand, slot, knows>>

\* The jobs as they are when what the worker reports has been put on record, and the slots.
Ended(w) == [j \in Jobs |-> IF j \in Its(w) /\ hand[j] = "finished" THEN Done ELSE job[j]]
Given(w) == lent[w] \ call[w].gives

Answer(w, jobs, slots) ==
  /\ call' = [call EXCEPT ![w] = [@ EXCEPT !.pc = "answered", !.jobs = jobs, !.slots = slots]]
  /\ hand' = [j \in Jobs |-> IF j \in Its(w) /\ hand[j] = "finished" THEN "nothing" ELSE hand[j]]
  /\ slot' = [j \in Jobs |-> IF j \in jobs THEN job'[j].n ELSE IF Ended(w)[j] # job[j] THEN -1 ELSE slot[j]]
  /\ UNCHANGED <<limit, mode, version, permits, has>>

IsCurrent(w) ==
  /\ \/ Mutant = "a claim does not check the version"
     \/ call[w].seen = knows[w].version
  \* For keys it is checked once more when the latch is held.
  /\ \/ ~Keyed \/ Mutant \in {"the version is checked before the latch only", "a claim does not check the version"}
     \/ version = knows[w].version

Refuse(w) ==
  /\ call[w].pc = "sent" /\ ~IsCurrent(w)
  /\ job' = Ended(w)
  /\ lent' = [lent EXCEPT ![w] = Given(w)]
  /\ knows' = [knows EXCEPT ![w].stale = TRUE]
  /\ Answer(w, {}, {})

\* Without a limit, jobs name nothing.
ClaimFreely(w, take) ==
  /\ job' = [j \in Jobs |-> IF j \in take THEN [st |-> "claimed", w |-> w, n |-> -1] ELSE Ended(w)[j]]
  /\ lent' = [lent EXCEPT ![w] = Given(w)]
  /\ Answer(w, take, {})

\* In a cold group each names a number that nothing names, or one of its worker; while more than the limit are named, none.
ClaimCold(w, take) ==
  LET others == permits \cup UNION {RecordOf(v) : v \in Workers \ {w}}
      ended == Ended(w)
      mine == {ended[j].n : j \in Its(w)} \ {-1}
  IN \E names \in [take -> (mine \cup 0 .. limit - 1) \ others] :
       /\ \A n \in {names[j] : j \in take} :
            Cardinality({j \in take : names[j] = n} \cup {k \in Its(w) : ended[k].n = n}) <= Depth
       /\ take # {} => Cardinality(others \cup mine \cup {names[j] : j \in take}) <= limit
       /\ job' = [j \in Jobs |-> IF j \in take THEN [st |-> "claimed", w |-> w, n |-> names[j]] ELSE ended[j]]
       /\ lent' = [lent EXCEPT ![w] = Given(w)]
       /\ Answer(w, take, {})

\* In a hot group the worker gets slots while there is room, and jobs for the slots that it has.
ClaimHot(w, take) ==
  LET others == permits \cup UNION {RecordOf(v) : v \in Workers \ {w}}
      ended == Ended(w)
      mine == {s[1] : s \in Given(w)}
      free == 0 .. limit - 1 \ (others \cup mine)
      room == limit - Cardinality(others \cup mine)
  IN \E k \in 0 .. Max(0, Min(room, Cardinality(take))) :
       LET slots == {<<n, version>> : n \in Lowest(k, free)}
       IN /\ k <= Cardinality(free)
          /\ take # {} => Cardinality({j \in Jobs : ended[j].w = w} \cup take)
                            <= Depth * (Cardinality(has[w]) + Cardinality(slots))
          /\ job' = [j \in Jobs |-> IF j \in take THEN [st |-> "claimed", w |-> w, n |-> -1] ELSE ended[j]]
          /\ lent' = [lent EXCEPT ![w] = Given(w) \cup slots]
          /\ Answer(w, take, slots)

\* The claim goes the way of the rules that its worker knows; for a key, it looks them up.
Claim(w) ==
  /\ call[w].pc = "sent" /\ IsCurrent(w)
  /\ LET way == IF Keyed THEN mode ELSE knows[w].mode
     IN \E take \in SUBSET {j \in Jobs : job[j].st = "ready"} :
          /\ Cardinality(take) <= 2
          /\ CASE way = "none" -> ClaimFreely(w, take)
               [] way = "cold" -> ClaimCold(w, take)
               [] way = "hot" -> ClaimHot(w, take)
  /\ UNCHANGED knows

\* The answer names slots as they were when the exchange was carried out.
Hear(w) ==
  /\ call[w].pc = "answered"
  /\ hand' = [j \in Jobs |-> IF j \in call[w].jobs THEN "held" ELSE hand[j]]
  /\ has' = [has EXCEPT ![w] = @ \cup call[w].slots]
  /\ call' = [call EXCEPT ![w] = NoCall]
  /\ UNCHANGED <<limit, mode, version, job, lent, permits, slot, knows>>

-----------------------------------------------------------------------------
\* The worker.

Start(j) ==
  /\ hand[j] = "held"
  /\ LET w == job[j].w
     IN IF knows[w].mode = "hot"
        THEN Cardinality(RunningAt(w)) < Cardinality(has[w])
        ELSE slot[j] = -1 \/ \A k \in RunningAt(w) : slot[k] # slot[j]
  /\ hand' = [hand EXCEPT ![j] = "running"]
  /\ UNCHANGED <<limit, mode, version, job, lent, permits, slot, has, knows, call>>

Finish(j) ==
  /\ hand[j] = "running"
  /\ hand' = [hand EXCEPT ![j] = "finished"]
  /\ UNCHANGED <<limit, mode, version, job, lent, permits, slot, has, knows, call>>

\* The worker drops what has not started, and is told the rules, the numbers of its jobs and its slots.
Reconcile(w) ==
  /\ call[w].pc = "none" /\ (knows[w].stale \/ knows[w].version # version)
  /\ LET drops == {j \in Its(w) : hand[j] \in {"nothing", "held"}}
     IN /\ job' = [j \in Jobs |-> IF j \in drops THEN Ready ELSE job[j]]
        /\ hand' = [j \in Jobs |-> IF j \in drops THEN "nothing" ELSE hand[j]]
        /\ slot' = [j \in Jobs |-> IF j \in drops THEN -1 ELSE IF j \in Its(w) THEN job[j].n ELSE slot[j]]
  /\ has' = [has EXCEPT ![w] = lent[w]]
  /\ knows' = [knows EXCEPT ![w] = [version |-> version, mode |-> mode, stale |-> FALSE]]
  /\ UNCHANGED <<limit, mode, version, lent, permits, call>>

Submit(j) ==
  /\ job[j].st = "done"
  /\ job' = [job EXCEPT ![j] = Ready]
  /\ UNCHANGED <<limit, mode, version, lent, permits, hand, slot, has, knows, call>>

\* A worker dies and is recovered; another takes its place.
Recover(w) ==
  /\ \A v \in Workers : call[v].pc # "sent"
  /\ Its(w) # {} \/ lent[w] # {}
  /\ job' = [j \in Jobs |-> IF j \in Its(w) THEN Ready ELSE job[j]]
  /\ hand' = [j \in Jobs |-> IF j \in Its(w) THEN "nothing" ELSE hand[j]]
  /\ slot' = [j \in Jobs |-> IF j \in Its(w) THEN -1 ELSE slot[j]]
  /\ lent' = [lent EXCEPT ![w] = {}]
  /\ has' = [has EXCEPT ![w] = {}]
  /\ knows' = [knows EXCEPT ![w] = [version |-> version, mode |-> mode, stale |-> FALSE]]
  /\ call' = [call EXCEPT ![w] = NoCall]
  /\ UNCHANGED <<limit, mode, version, permits>>

TakePermit ==
  /\ limit > Cardinality(Record) /\ Cardinality(permits) < Permits
  /\ permits' = permits \cup Lowest(1, Numbers \ Record)
  /\ UNCHANGED <<limit, mode, version, job, lent, hand, slot, has, knows, call>>

GiveBackPermit ==
  /\ \E n \in permits : permits' = permits \ {n}
  /\ UNCHANGED <<limit, mode, version, job, lent, hand, slot, has, knows, call>>

-----------------------------------------------------------------------------
\* The rules change, under the rules lock.

Alone == \A w \in Workers : call[w].pc # "sent"
Claimed == {j \in Jobs : job[j].st = "claimed"}

\* Each claimed job of the group gets a number of its own. A key's first number comes under its latch alone.
FirstLimit(n) ==
  /\ mode = "none" /\ version < Versions /\ (Alone \/ Keyed)
  /\ LET unnamed == IF Mutant = "the first limit names nothing" THEN {} ELSE Claimed
         numbers == Lowest(Cardinality(unnamed), Numbers \ permits)
     IN \E f \in [unnamed -> numbers] :
          /\ \A j, k \in unnamed : j # k => f[j] # f[k]
          /\ job' = [j \in Jobs |-> IF j \in unnamed THEN [job[j] EXCEPT !.n = f[j]] ELSE job[j]]
  /\ limit' = n /\ mode' = "cold"
  /\ version' = version + 1
  /\ UNCHANGED <<lent, permits, hand, slot, has, knows, call>>

ChangeLimit(n) ==
  /\ limit > 0 /\ limit # n /\ version < Versions /\ Alone
  /\ limit' = n /\ version' = version + 1
  /\ UNCHANGED <<mode, job, lent, permits, hand, slot, has, knows, call>>

\* A lifted limit leaves no names and no slots, and the group is as good as new.
Lift ==
  /\ limit > 0 /\ version < Versions /\ Alone
  /\ limit' = 0 /\ mode' = "none" /\ version' = version + 1
  /\ job' = [j \in Jobs |-> [job[j] EXCEPT !.n = -1]]
  /\ lent' = [w \in Workers |-> {}]
  /\ UNCHANGED <<permits, hand, slot, has, knows, call>>

\* The numbers named become slots lent to the workers that named them; the names are cleared.
Heat ==
  /\ mode = "cold" /\ ~Keyed /\ version < Versions /\ Alone
  /\ mode' = "hot"
  /\ version' = IF Mutant = "heat does not raise the version" THEN version ELSE version + 1
  /\ lent' = [w \in Workers |-> IF Mutant = "heat forgets the slots of running jobs" THEN {}
                                ELSE {<<n, version'>> : n \in NamesOf(w)}]
  /\ job' = [j \in Jobs |-> [job[j] EXCEPT !.n = -1]]
  /\ UNCHANGED <<limit, permits, hand, slot, has, knows, call>>

-----------------------------------------------------------------------------
OtherStep ==
  \/ \E w \in Workers : Send(w) \/ Hear(w) \/ Reconcile(w) \/ Recover(w)
  \/ \E j \in Jobs : Start(j) \/ Finish(j) \/ Submit(j)
  \/ TakePermit \/ GiveBackPermit \/ Lift \/ Heat
  \/ \E n \in Limits : FirstLimit(n) \/ ChangeLimit(n)

\* But for the first number of a key, nothing that matters can come between the beginning of an exchange and its commit.
Step ==
  \/ \E w \in Workers : Refuse(w) \/ Claim(w)
  \/ Keyed /\ \E n \in Limits : FirstLimit(n)
  \/ Alone /\ OtherStep

Next ==
  /\ Step
  /\ cap' = IF limit' = 0 THEN 0
            ELSE IF limit' # limit THEN Max(limit', Cardinality(Record'))
            ELSE Max(limit, Min(cap, Cardinality(Record')))

Spec == Init /\ [][Next]_vars

Symmetry == Permutations(Workers) \cup Permutations(Jobs)

-----------------------------------------------------------------------------
\* What is to hold.

Limited == limit > 0
Running == {j \in Jobs : hand[j] = "running"}

\* No more jobs run and permits are held than the limit says, or than were there when it came and have not ended.
LimitHolds == Limited => Cardinality(Running) + Cardinality(permits) <= cap

\* Nor are there more slots on record; what drains gets no more.
NeverMore == Limited => Cardinality(Record) <= cap

\* What a worker runs is on record.
OnRecord == Limited => \A w \in Workers : Cardinality(RunningAt(w)) <= Cardinality(RecordOf(w))

OneOwner ==
  Limited => \A w \in Workers :
    RecordOf(w) \cap (permits \cup UNION {RecordOf(v) : v \in Workers \ {w}}) = {}

\* Claimed jobs name slots in a cold group, all of them, and in a hot one none.
NamesFitTheMode ==
  /\ mode = "cold" => \A j \in Claimed : job[j].n >= 0
  /\ mode # "cold" => \A j \in Jobs : job[j].n = -1
  /\ mode # "hot" => \A w \in Workers : lent[w] = {}

\* A worker that knows the rules knows its slots, and will give them back.
NoSlotIsLost ==
  \A w \in Workers : knows[w].version = version /\ ~knows[w].stale /\ call[w].pc = "none" => has[w] = lent[w]
=============================================================================
