-------------------------------- MODULE late --------------------------------
(***************************************************************************)
(* The epoch of a worker: calls that their client has given up, and that   *)
(* the server carries out later, or never.                                 *)
(*                                                                         *)
(* One group of limit 1. Every call that was ever sent is carried out at   *)
(* most once, at any later time, in any order; its answer is heard or      *)
(* lost. A call is one step here: it holds the lock of its worker until it *)
(* commits.                                                                *)
(***************************************************************************)
EXTENDS Integers, FiniteSets, TLC

CONSTANTS
  Workers, Jobs,
  Hot,       \* whether the slot is lent to workers, or named by jobs
  Calls,     \* how many calls each worker sends
  Deaths,    \* how many workers may die
  Mutant,    \* what is left out or done wrong; "none" is the design
  NoWorker

VARIABLES
  job,      \* the table of jobs: state, worker, token
  lent,     \* in a hot group: whom the slot is lent to, and since which token
  epoch,    \* on record for each worker; -1 = its row is gone
  token,    \* of the next claim
  wire,     \* calls that are under way
  at,       \* what the worker is doing: idle, waiting for call n, unsure
  known,    \* the jobs that the worker knows: token and state
  has,      \* the token of the slot that the worker knows it has, 0 = none
  mine,     \* the epoch of the last reconcile that was answered
  sent,     \* how many calls the worker has sent
  deaths

vars == <<job, lent, epoch, token, wire, at, known, has, mine, sent, deaths>>

Ready == [st |-> "ready", w |-> NoWorker, t |-> 0]
Done == [st |-> "done", w |-> NoWorker, t |-> 0]
Unknown == [st |-> "nothing", t |-> 0]

Init ==
  /\ job = [j \in Jobs |-> Ready]
  /\ lent = [w |-> NoWorker, t |-> 0]
  /\ epoch = [w \in Workers |-> 0]
  /\ token = 1
  /\ wire = {}
  /\ at = [w \in Workers |-> "idle"]
  /\ known = [w \in Workers |-> [j \in Jobs |-> Unknown]]
  /\ has = [w \in Workers |-> 0]
  /\ mine = [w \in Workers |-> 0]
  /\ sent = [w \in Workers |-> 0]
  /\ deaths = 0

Its(w) == {j \in Jobs : job[j].st = "claimed" /\ job[j].w = w}
InHand(w, states) == {j \in Jobs : known[w][j].st \in states}

-----------------------------------------------------------------------------
\* The worker sends an exchange: jobs that have ended, perhaps its slot, and whether it wants a job.
SendExchange(w) ==
  /\ at[w] = "idle" /\ sent[w] < Calls
  /\ LET ended == {<<j, known[w][j].t>> : j \in InHand(w, {"finished"})}
     IN \E gives \in (IF has[w] > 0 /\ InHand(w, {"held", "running"}) = {} THEN {0, has[w]} ELSE {0}) :
        \E wants \in BOOLEAN :
          /\ ended # {} \/ gives > 0 \/ wants
          /\ wire' = wire \cup {[kind |-> "exchange", w |-> w, n |-> sent[w] + 1, e |-> mine[w], jobs |-> ended,
                                 gives |-> gives, wants |-> wants]}
  /\ sent' = [sent EXCEPT ![w] = @ + 1]
  /\ at' = [at EXCEPT ![w] = "waiting"]
  /\ UNCHANGED <<job, lent, epoch, token, known, has, mine, deaths>>

\* It gives the call up. What it wanted to report it still has.
GiveUp(w) ==
  /\ at[w] = "waiting"
  /\ at' = [at EXCEPT ![w] = "unsure"]
  /\ UNCHANGED <<job, lent, epoch, token, wire, known, has, mine, sent, deaths>>

\* An unsure worker reconciles: it says which jobs it knows. Each try has a number of its own. Meanwhile it starts nothing.
SendReconcile(w) ==
  /\ at[w] = "unsure" /\ sent[w] < Calls
  /\ wire' = wire \cup {[kind |-> "reconcile", w |-> w, n |-> sent[w] + 1, e |-> sent[w] + 1,
                         jobs |-> {<<j, known[w][j].t>> : j \in InHand(w, {"held", "running", "finished"})},
                         gives |-> 0, wants |-> FALSE]}
  /\ sent' = [sent EXCEPT ![w] = @ + 1]
  /\ at' = [at EXCEPT ![w] = "waiting"]
  /\ UNCHANGED <<job, lent, epoch, token, known, has, mine, deaths>>

\* Whether anybody is there to hear the answer to call c.
IsHeard(c) == at[c.w] = "waiting" /\ sent[c.w] = c.n
Forget(c) == [j \in Jobs |-> IF <<j, known[c.w][j].t>> \in c.jobs THEN Unknown ELSE known[c.w][j]]

\* Lost on the way.
Lose(c) ==
  /\ wire' = wire \ {c}
  /\ UNCHANGED <<job, lent, epoch, token, at, known, has, mine, sent, deaths>>

IsAccepted(c) ==
  /\ epoch[c.w] >= 0
  /\ IF c.kind = "exchange"
     THEN c.e = epoch[c.w] \/ Mutant = "an exchange does not name its epoch"
     ELSE c.e > epoch[c.w] \/ Mutant = "a reconcile is carried out late"

RefuseCall(c) ==
  /\ ~IsAccepted(c)
  /\ wire' = wire \ {c}
  /\ at' = IF IsHeard(c) THEN [at EXCEPT ![c.w] = "unsure"] ELSE at
  /\ UNCHANGED <<job, lent, epoch, token, known, has, mine, sent, deaths>>

\* The exchange is carried out: ends, by token; the slot given back, by token; a claim. Its answer is heard, if anybody waits for
\* it, or lost.
CarryOut(c) ==
  /\ c.kind = "exchange" /\ IsAccepted(c)
  /\ wire' = wire \ {c}
  /\ LET w == c.w
         ended == [j \in Jobs |-> IF job[j].st = "claimed" /\ job[j].w = w /\ <<j, job[j].t>> \in c.jobs THEN Done ELSE job[j]]
         slot == IF lent.w = w /\ lent.t = c.gives THEN [w |-> NoWorker, t |-> 0] ELSE lent
         free == IF Hot THEN slot.w \in {NoWorker, w} ELSE \A j \in Jobs : ended[j].st = "claimed" => ended[j].w = w
         ready == IF c.wants /\ free THEN {j \in Jobs : ended[j].st = "ready"} ELSE {}
         taken == IF Hot /\ slot.w = NoWorker THEN [w |-> w, t |-> token] ELSE slot
     IN \E take \in IF ready = {} THEN {{}} ELSE {{j} : j \in ready} :
          /\ job' = [j \in Jobs |-> IF j \in take THEN [st |-> "claimed", w |-> w, t |-> token] ELSE ended[j]]
          /\ lent' = IF take = {} THEN slot ELSE taken
          /\ token' = IF take = {} THEN token ELSE token + 1
          /\ \/ /\ IsHeard(c)
                /\ known' = [known EXCEPT ![w] = [j \in Jobs |-> IF j \in take THEN [st |-> "held", t |-> token] ELSE Forget(c)[j]]]
                /\ has' = [has EXCEPT ![w] = IF take # {} /\ Hot THEN taken.t ELSE IF c.gives > 0 THEN 0 ELSE @]
                /\ at' = [at EXCEPT ![w] = "idle"]
             \/ UNCHANGED <<known, has, at>>
  /\ UNCHANGED <<epoch, mine, sent, deaths>>

\* The reconcile is carried out: jobs of claims that the worker does not know go back in line, and it is told what is left.
CarryOutReconcile(c) ==
  /\ c.kind = "reconcile" /\ IsAccepted(c)
  /\ wire' = wire \ {c}
  /\ LET w == c.w
         kept == [j \in Jobs |-> IF j \in Its(w) /\ <<j, job[j].t>> \notin c.jobs THEN Ready ELSE job[j]]
     IN /\ job' = kept
        /\ epoch' = [epoch EXCEPT ![w] = c.e]
        /\ \/ /\ IsHeard(c)
              /\ known' = [known EXCEPT ![w] = [j \in Jobs |->
                   IF kept[j].st = "claimed" /\ kept[j].w = w /\ kept[j].t = @[j].t THEN @[j] ELSE Unknown]]
              /\ has' = [has EXCEPT ![w] = IF lent.w = w THEN lent.t ELSE 0]
              /\ mine' = [mine EXCEPT ![w] = c.e]
              /\ at' = [at EXCEPT ![w] = "idle"]
           \/ UNCHANGED <<known, has, mine, at>>
  /\ UNCHANGED <<lent, token, sent, deaths>>

-----------------------------------------------------------------------------
\* The worker runs one job at a time: it has one slot. While it is unsure of what it has, it starts nothing.
Start(w, j) ==
  /\ at[w] = "idle" \/ (at[w] = "waiting" /\ ~\E c \in wire : c.w = w /\ c.n = sent[w] /\ (c.gives > 0 \/ c.kind = "reconcile"))
  /\ epoch[w] >= 0
  /\ known[w][j].st = "held" /\ InHand(w, {"running"}) = {}
  /\ Hot => has[w] > 0
  /\ known' = [known EXCEPT ![w][j].st = "running"]
  /\ UNCHANGED <<job, lent, epoch, token, wire, at, has, mine, sent, deaths>>

Finish(w, j) ==
  /\ known[w][j].st = "running"
  /\ known' = [known EXCEPT ![w][j].st = "finished"]
  /\ UNCHANGED <<job, lent, epoch, token, wire, at, has, mine, sent, deaths>>

\* A worker dies, and is recovered: its row goes, its jobs are ready, its slot is free. Its calls may still be under way.
Die(w) ==
  /\ epoch[w] >= 0 /\ deaths < Deaths
  /\ deaths' = deaths + 1
  /\ job' = [j \in Jobs |-> IF j \in Its(w) THEN Ready ELSE job[j]]
  /\ lent' = IF lent.w = w THEN [w |-> NoWorker, t |-> 0] ELSE lent
  /\ epoch' = [epoch EXCEPT ![w] = IF Mutant = "the row of a dead worker stays" THEN @ ELSE -1]
  /\ at' = [at EXCEPT ![w] = "dead"]
  /\ known' = [known EXCEPT ![w] = [j \in Jobs |-> Unknown]]
  /\ has' = [has EXCEPT ![w] = 0]
  /\ UNCHANGED <<token, wire, mine, sent>>

Next ==
  \/ \E w \in Workers : SendExchange(w) \/ GiveUp(w) \/ SendReconcile(w) \/ Die(w) \/ \E j \in Jobs : Start(w, j) \/ Finish(w, j)
  \/ \E c \in wire : Lose(c) \/ RefuseCall(c) \/ CarryOut(c) \/ CarryOutReconcile(c)

Spec == Init /\ [][Next]_vars

Symmetry == Permutations(Workers) \cup Permutations(Jobs)

-----------------------------------------------------------------------------
\* What is to hold.

RunningAt(w) == InHand(w, {"running"})

LimitHolds == Cardinality({x \in Workers \X Jobs : known[x[1]][x[2]].st = "running"}) <= 1

\* what runs is on record: no other worker is given the job.
OnRecord ==
  \A w \in Workers : \A j \in RunningAt(w) :
    job[j].st = "claimed" /\ job[j].w = w /\ job[j].t = known[w][j].t /\ (Hot => lent.w = w)

\* A worker that waits for nothing knows whatever is on record for it: no job and no slot is kept by one that does not.
NothingIsLost ==
  \A w \in Workers :
    /\ at[w] = "idle" => /\ \A j \in Its(w) : known[w][j].t = job[j].t /\ known[w][j].st # "nothing"
                         /\ lent.w = w => has[w] = lent.t
    /\ at[w] = "dead" => Its(w) = {} /\ lent.w # w
=============================================================================
