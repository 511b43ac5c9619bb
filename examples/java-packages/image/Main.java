import com.google.gson.Gson;
import com.google.gson.JsonObject;
import java.io.Reader;
import java.io.StringReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.commons.csv.CSVFormat;
import org.apache.commons.csv.CSVRecord;

/** Adds up each column of a CSV text that has only numbers. */
public class Main {
  public static void main(String[] args) throws Exception {
    Gson gson = new Gson();
    String csv;
    try (Reader input = Files.newBufferedReader(Path.of(System.getenv("SERVICE_INPUTS_FILE")))) {
      csv = gson.fromJson(input, JsonObject.class).get("csv").getAsString();
    }
    Map<String, Double> sums = new LinkedHashMap<>();
    int rows = 0;
    for (CSVRecord row : CSVFormat.DEFAULT.withFirstRecordAsHeader().parse(new StringReader(csv))) {
      rows++;
      row.toMap().forEach((column, value) -> {
        if (value.matches("-?\\d+(\\.\\d+)?")) sums.merge(column, Double.parseDouble(value), Double::sum);
      });
    }
    System.out.println("read " + rows + " rows");
    Files.writeString(Path.of(System.getenv("SERVICE_OUTPUT_FILE")), gson.toJson(Map.of("sums", sums)));
  }
}
