# Runs one command as the leader of its own session, with a watchdog beside it in another session.
#
# Standard input carries a line "TASK COMMAND PAYLOAD DEADLINE" (three lengths in bytes and a moment), the task's
# name, the command and the payload, and after that, for as long as the command runs, a line a beat: the moment until
# which the worker's lease is sure to hold, or "term GRACE". Moments are hundredths of a second of /proc/uptime, a clock that
# all processes of the machine share and that goes on while any of them is frozen.
#
# The watchdog ends the whole group with SIGKILL when the moment has come and no later one has been said (the worker
# is frozen or lost its lease), and when its input ends (the worker is dead, or done with the command). It is there
# before the command starts, so there is no moment at which the command runs unwatched.
#
# "term" asks the whole group to end. Its first process may be the quickest, and its end is the end of the input, so
# from then on the watchdog lets the others be for the rest of the grace, though not beyond the moment.
read -r task_bytes command_bytes payload_bytes deadline || exit 125
SLUICE_TASK=$(head -c "$task_bytes") || exit 125
command=$(head -c "$command_bytes") || exit 125
payload=$(head -c "$payload_bytes") || exit 125
export SLUICE_TASK

watchdog='
group=$1 deadline=$2 grace=0
while :; do
  read -r now _ </proc/uptime
  left=$((deadline - 10#${now/./}))
  ((left > 0)) || break
  # Woken once a second at least: a suspended machine stops the timer of read, not the clock.
  ((left < 100)) || left=100
  printf -v seconds "%d.%02d" $((left / 100)) $((left % 100))
  if read -r -t "$seconds" word value <&3; then
    if [ "$word" = term ]; then
      read -r now _ </proc/uptime
      grace=$((10#${now/./} + value))
      kill -s TERM -- "-$group"
    else
      deadline=$word
    fi
  elif (($? <= 128)); then
    break
  fi
done
((grace < deadline)) || grace=$deadline
while read -r now _ </proc/uptime && ((10#${now/./} < grace)) && kill -s 0 -- "-$group"; do
  sleep 0.1
done
kill -s KILL -- "-$group"
'
exec 3<&0
setsid bash -c "$watchdog" sluice-watchdog $$ "$deadline" </dev/null >/dev/null 2>&1 &
exec sh -c "$command" <<<"$payload" 3<&-
