package dev.sluice.object.state;

import dev.sluice.object.state.Asks.Ask;
import dev.sluice.object.state.Asks.Reservation;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;

/** Asks and reservations, in this draft. Each method touches the draft if it changes anything. */
final class OpenAsks {
  private final Map<String, List<Ask>> asks;
  private final List<Reservation> reservations;
  private final Runnable touch;

  OpenAsks(Asks base, Runnable touch) {
    this.asks = new HashMap<>(base.byGroup());
    this.reservations = new ArrayList<>(base.reservations());
    this.touch = touch;
  }

  Asks seal() {
    return new Asks(asks, reservations);
  }

  /** The asks for slots of a group, the first to ask first. */
  List<Ask> of(String group) {
    return asks.getOrDefault(group, List.of());
  }

  /** Whether anything waits for slots of a group. */
  boolean isWanted(String group) {
    return asks.containsKey(group) || keeping(group).isPresent();
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
    reservations.stream()
        .filter(reservation -> reservation.worker().equals(worker))
        .toList()
        .forEach(reservation -> release(reservation.job()));
  }

  List<Reservation> reservations() {
    return List.copyOf(reservations);
  }

  /** The reservation that keeps slots of a group, if there is one. */
  Optional<Reservation> keeping(String group) {
    return reservations.isEmpty()
        ? Optional.empty()
        : reservations.stream().filter(kept -> kept.groups().contains(group)).findFirst();
  }

  /** Keeps slots for a job; the caller has seen that none of the groups is kept for another. */
  void reserve(Reservation reservation) {
    reservations.removeIf(kept -> kept.job().equals(reservation.job()));
    reservations.add(reservation);
    touch.run();
  }

  /** Keeps nothing more for a job. */
  void release(JobPlace job) {
    if (!reservations.isEmpty() && reservations.removeIf(kept -> kept.job().equals(job))) {
      touch.run();
    }
  }
}
