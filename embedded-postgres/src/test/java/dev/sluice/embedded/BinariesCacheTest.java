package dev.sluice.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.tukaani.xz.LZMA2Options;
import org.tukaani.xz.XZOutputStream;

/** The cache, with an archive whose server is a shell script. */
class BinariesCacheTest {

  private static final String SERVER = "#!/bin/sh\necho 'postgres (PostgreSQL) 18.6'\n";

  @TempDir Path temporary;
  private final Privileges ourselves = new Privileges(List.of(), Privileges.currentUser());

  @Test
  void find_unpacksOnceAndSweepsDrafts() throws Exception {
    Path place = temporary.resolve("cache");
    Path draft = Files.createDirectories(place.resolve("draft-of-a-killed-process/bin"));
    BinariesArchive archive = archive("bin/postgres", SERVER);
    BinariesCache cache = new BinariesCache(List.of(place));

    Binaries binaries = cache.find(archive, ourselves);

    assertThat(binaries.version()).isEqualTo("18.6");
    assertThat(binaries.major()).isEqualTo(18);
    assertThat(draft.getParent()).doesNotExist();
    Files.writeString(binaries.home().resolve("kept"), "");
    assertThat(cache.find(archive, ourselves)).isEqualTo(binaries);
    assertThat(binaries.home().resolve("kept")).exists();
  }

  @Test
  void find_placeThatOthersCanWrite_takesTheNext() throws Exception {
    Path shared = Files.createDirectory(temporary.resolve("shared"));
    Files.setPosixFilePermissions(shared, PosixFilePermissions.fromString("rwxrwxrwx"));
    Path own = temporary.resolve("own");
    BinariesCache cache = new BinariesCache(List.of(shared, own));
    assertThat(cache.find(archive("bin/postgres", SERVER), ourselves).home()).startsWith(own);
  }

  @Test
  void find_entryOutsideTheArchive_isRefused() throws Exception {
    BinariesArchive evil = archive("../outside", "x");
    BinariesCache cache = new BinariesCache(List.of(temporary.resolve("cache")));
    assertThatThrownBy(() -> cache.find(evil, ourselves))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("XDG_CACHE_HOME")
        .hasMessageContaining("outside of itself");
  }

  @Test
  void ofUser_cacheHomeIsSet_comesFirst() {
    BinariesCache cache = BinariesCache.ofUser(Map.of("XDG_CACHE_HOME", "/somewhere"), 1000);
    assertThat(cache.candidates()).startsWith(Path.of("/somewhere/sluice"));
    assertThat(cache.candidates()).doesNotContain(Path.of("/var/cache/sluice"));
  }

  private BinariesArchive archive(String name, String content) throws IOException {
    Path file = temporary.resolve("postgres.txz");
    try (OutputStream out = Files.newOutputStream(file);
        TarArchiveOutputStream tar =
            new TarArchiveOutputStream(new XZOutputStream(out, new LZMA2Options(0)))) {
      byte[] bytes = content.getBytes(StandardCharsets.UTF_8);
      TarArchiveEntry entry = new TarArchiveEntry(name);
      entry.setMode(0100755);
      entry.setSize(bytes.length);
      tar.putArchiveEntry(entry);
      tar.write(bytes);
      tar.closeArchiveEntry();
    }
    return new BinariesArchive(file.toUri().toURL());
  }
}
