package dev.sluice.bench.report;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.databind.deser.std.StdDelegatingDeserializer;
import com.fasterxml.jackson.databind.module.SimpleModule;
import com.fasterxml.jackson.databind.ser.std.StdDelegatingSerializer;
import com.fasterxml.jackson.databind.util.StdConverter;
import java.util.Optional;

/**
 * A ratio as it stands in a file.
 *
 * @param goal missing if there is none
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
record RatioJson(String name, Figure value, Ratio.Goal goal) {
  /** What teaches Jackson to read and write ratios in this form. */
  static SimpleModule module() {
    return new SimpleModule()
        .addSerializer(new StdDelegatingSerializer(Ratio.class, new Written()))
        .addDeserializer(Ratio.class, new StdDelegatingDeserializer<>(new Read()));
  }

  private static final class Written extends StdConverter<Ratio, RatioJson> {
    @Override
    public RatioJson convert(Ratio ratio) {
      return new RatioJson(ratio.name(), ratio.value(), ratio.goal().orElse(null));
    }
  }

  private static final class Read extends StdConverter<RatioJson, Ratio> {
    @Override
    public Ratio convert(RatioJson json) {
      return new Ratio(json.name(), json.value(), Optional.ofNullable(json.goal()));
    }
  }
}
