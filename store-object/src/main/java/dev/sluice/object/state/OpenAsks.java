package dev.sluice.object.state;

import dev.sluice.object.state.Asks.Ask;
import dev.sluice.object.state.Asks.Reservation;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;

/** Asks and reservations, in this draft. Each method touches the draft if it changes anything. */
final class OpenAsks {
  private final Map<String, List<Ask>> asks;
  private final Map<JobPlace, Reservation> reservations = new LinkedHashMap<>();
  private final Map<String, JobPlace> keptFor = new HashMap<>();
  private final Runnable touch;

  OpenAsks(Asks base, Runnable touch) {
    this.asks = new HashMap<>(base.byGroup());
    this.touch = touch;
    base.reservations().forEach(this::index);
  }

  Asks seal() {
    return new Asks(asks, reservations());
  }

  /** The asks for slots of a group, the first to ask first. */
  List<Ask> of(String group) {
    return asks.getOrDefault(group, List.of());
  }

  /** Whether anything waits for slots of a group. */
  boolean isWanted(String group, long now) {
    return asks.containsKey(group) || keeping(group).filter(kept -> kept.stands(now)).isPresent();
  }

  Optional<Ask> of(String group, String worker) {
    return of(group).stream().filter(ask -> ask.worker().equals(worker)).findFirst();
  }

  /** The groups that a worker asks for. */
  List<String> groupsOf(String worker) {
    TreeSet<String> groups = new TreeSet<>();
    asks.forEach(
        (group, all) -> {
          if (all.stream().anyMatch(ask -> ask.worker().equals(worker))) {
            groups.add(group);
          }
        });
    return List.copyOf(groups);
  }

  /** Adds a worker's ask behind all others, or replaces the one it has, at its place. */
  void put(String group, Ask ask) {
    List<Ask> all = new ArrayList<>(of(group));
    int index = 0;
    while (index < all.size() && !all.get(index).worker().equals(ask.worker())) {
      index++;
    }
    if (index == all.size()) {
      all.add(ask);
    } else {
      all.set(index, ask);
    }
    asks.put(group, all);
    touch.run();
  }

  void remove(String group, String worker) {
    List<Ask> left = of(group).stream().filter(ask -> !ask.worker().equals(worker)).toList();
    if (left.size() < of(group).size()) {
      if (left.isEmpty()) {
        asks.remove(group);
      } else {
        asks.put(group, left);
      }
      touch.run();
    }
  }

  /** Removes everything that stands in the name of a worker. */
  void forget(String worker) {
    groupsOf(worker).forEach(group -> remove(group, worker));
    reservationsOf(worker).forEach(reservation -> release(reservation.job()));
  }

  List<Reservation> reservations() {
    return List.copyOf(reservations.values());
  }

  List<Reservation> reservationsOf(String worker) {
    return reservations.values().stream().filter(kept -> kept.worker().equals(worker)).toList();
  }

  /** The reservation that keeps slots of a group, or did until lately. */
  Optional<Reservation> keeping(String group) {
    return Optional.ofNullable(keptFor.get(group)).map(reservations::get);
  }

  /** The reservation that keeps slots for a job, or did until lately. */
  Optional<Reservation> keepingFor(JobPlace job) {
    return Optional.ofNullable(reservations.get(job));
  }

  /** Keeps slots for a job, in place of whatever was kept of these groups, or for this job. */
  void reserve(Reservation reservation) {
    release(reservation.job());
    reservation.groups().forEach(group -> keeping(group).ifPresent(kept -> release(kept.job())));
    index(reservation);
    touch.run();
  }

  private void index(Reservation reservation) {
    reservations.put(reservation.job(), reservation);
    reservation.groups().forEach(group -> keptFor.put(group, reservation.job()));
  }

  /** Keeps nothing more for a job. */
  void release(JobPlace job) {
    Reservation released = reservations.remove(job);
    if (released != null) {
      released.groups().forEach(keptFor::remove);
      touch.run();
    }
  }
}
