# Runs the server until it ends, and ends it when nobody uses it any more.
# usage: server-lock users-fifo stopping-marker patience-seconds server-command...
users=$2 stopping=$3

# The server's processes inherit descriptor 9, so the lock is held until the last of them is gone.
exec 9>>"$1"
flock -w "$4" 9 || exit 75
shift 4
"$@" &
server=$!
exec 9>&-

# Opening the FIFO both ways first: a plain open for reading would wait for a user, and there may be none left.
# The signal is repeated, because one that arrives before the server has its handlers is lost.
setpriv --pdeathsig KILL sh -c '
  exec 8<>"$1" 7<"$1" 8>&-
  read -r nothing <&7
  true >"$2"
  while kill -INT "$3"; do sleep 0.5; done
' sluice-watch "$users" "$stopping" "$server" 2>/dev/null &
watch=$!

wait "$server"
status=$?
kill -KILL "$watch"
exit "$status"
