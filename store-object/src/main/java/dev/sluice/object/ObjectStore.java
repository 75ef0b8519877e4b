package dev.sluice.object;

import dev.sluice.StoreIncompatibleException;
import dev.sluice.StoreUnavailableException;
import dev.sluice.object.PutResult.Lost;
import dev.sluice.object.PutResult.Reason;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/**
 * A flat map from keys to small objects, shared by processes that know nothing of each other. All
 * methods may be called by any number of threads.
 *
 * <p><b>What may be relied on.</b> Each object is one register: its reads, creates and replacements
 * are linearizable, and a page of a list shows every object that was there when the list began and
 * stayed. Nothing holds across two objects.
 *
 * <p><b>Tags.</b> Every write gives its object a tag. A bucket derives the tag from the content, so
 * the same bytes written twice have the same tag, and a compare-and-set could mistake the second
 * for the first. Therefore whatever is replaced by {@link #putIfMatch} must carry something that no
 * other write has: a version and a random number.
 *
 * <p><b>How a put ends.</b> Stored, lost, or with one of three exceptions: {@link
 * UnknownOutcomeException} if nobody can say whether it was carried out, or will be; {@link
 * StoreUnavailableException} if it was not carried out and may be tried again; {@link
 * StoreIncompatibleException} if an operator has to act first. {@link RetryingObjectStore} makes
 * the first two rare.
 *
 * <p><b>Deletes</b> have no condition, because buckets do not honour one. So what changes hands is
 * never deleted but replaced by something that says "free", and what is deleted is a key that was
 * written once and never will be again. A put of unknown outcome can otherwise land after the
 * delete and bring the object back. The exception are slot objects, which decide nothing: see
 * {@link SlotBoard}.
 *
 * <p><b>Keys</b> are what {@link ObjectKeys} allows. No key should continue another key with a
 * slash ({@code a/b} and {@code a/b/c}): the stores here do not mind, but some buckets do.
 *
 * <p><b>Interrupts.</b> A thread that is interrupted in a call gets one of the exceptions above, as
 * if the store had not answered, and stays interrupted.
 */
interface ObjectStore extends AutoCloseable {

  /** The most objects that one page of a list has. */
  int MAX_PAGE = 1_000;

  /** What operators know this key as; for messages. */
  default String nameOf(String key) {
    return key;
  }

  /** Whether each request costs money, so that none is made that can be put off. */
  default boolean isPaidFor() {
    return false;
  }

  /** The object at this key, or empty if there is none. */
  Optional<StoredObject> get(String key);

  /** Writes the object if there is none at this key. */
  PutResult putIfAbsent(String key, ObjectBody body);

  /** Replaces the object if its tag is still this one. */
  PutResult putIfMatch(String key, ObjectBody body, String tag);

  /**
   * Makes sure that an object is there which is the same whoever writes it. So an answer that was
   * lost does not matter, as long as the object is found.
   */
  default void ensure(String key, byte[] bytes) {
    PutResult result;
    try {
      result = putIfAbsent(key, ObjectBody.withoutToken(bytes));
    } catch (UnknownOutcomeException e) {
      if (get(key).isEmpty()) {
        throw e;
      }
      return;
    }
    // If somebody is about to write it, it may never be.
    if (result instanceof Lost lost && lost.reason() != Reason.CHANGED) {
      throw new StoreUnavailableException(
          "The object '%s' could not be written: somebody else was about to. Try again."
              .formatted(nameOf(key)));
    }
  }

  /**
   * The objects whose keys start with the prefix, in key order ({@link ObjectKeys#ORDER}).
   *
   * @param prefix how the keys start; empty = all
   * @param after only keys behind this one; empty = from the start. It need not exist
   * @param limit the most objects to return, at least 1; above {@value #MAX_PAGE} it is that
   */
  ObjectPage list(String prefix, String after, int limit);

  /** Removes the object, if there is one. See above for which keys may be deleted. */
  void delete(String key);

  /** Removes all these objects. If it fails, any of them may be left; it may be repeated. */
  void deleteAll(Collection<String> keys);

  /** All pages of a list. */
  default List<ListedObject> listAll(String prefix) {
    List<ListedObject> all = new ArrayList<>();
    ObjectPage page;
    String after = "";
    do {
      page = list(prefix, after, MAX_PAGE);
      all.addAll(page.objects());
      after = page.next();
    } while (!page.isLast());
    return all;
  }

  /** Lets go of connections and files; the objects stay. */
  @Override
  void close();
}
