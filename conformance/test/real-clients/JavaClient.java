import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A client on one of the HTTP stacks of Java, which behaves in one of several ways: JavaClient.java STACK WAY. */
class JavaClient {
  record Answer(int status, String text, String retryAfter, String remaining, String reset) {}

  interface Send {
    Answer send(String path, String body) throws Exception;
  }

  static final String base = System.getenv("PETSTORE_BASE_URL");
  static final String auth = "Bearer " + System.getenv("PETSTORE_API_KEY");

  static Answer overHttpClient(String path, String body) throws Exception {
    HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(base + path)).header("Authorization", auth);
    if (body != null) request.header("Content-Type", "application/json").POST(HttpRequest.BodyPublishers.ofString(body));
    HttpResponse<String> answer = HttpClient.newHttpClient().send(request.build(), HttpResponse.BodyHandlers.ofString());
    var headers = answer.headers();
    return new Answer(
        answer.statusCode(),
        answer.body(),
        headers.firstValue("Retry-After").orElse("1"),
        headers.firstValue("X-RateLimit-Remaining").orElse(""),
        headers.firstValue("X-RateLimit-Reset").orElse("0"));
  }

  static Answer overUrlConnection(String path, String body) throws Exception {
    HttpURLConnection connection = (HttpURLConnection) URI.create(base + path).toURL().openConnection();
    connection.setRequestProperty("Authorization", auth);
    if (body != null) {
      connection.setRequestMethod("POST");
      connection.setRequestProperty("Content-Type", "application/json");
      connection.setDoOutput(true);
      connection.getOutputStream().write(body.getBytes("UTF-8"));
    }
    int status = connection.getResponseCode();
    InputStream stream = status >= 400 ? connection.getErrorStream() : connection.getInputStream();
    String text = stream == null ? "" : new String(stream.readAllBytes(), "UTF-8");
    String asked = connection.getHeaderField("Retry-After");
    return new Answer(
        status,
        text,
        asked == null ? "1" : asked,
        connection.getHeaderField("X-RateLimit-Remaining"),
        connection.getHeaderField("X-RateLimit-Reset"));
  }

  static Answer patiently(Send stack, String path, String body) throws Exception {
    for (int attempt = 0; attempt < 6; attempt += 1) {
      Answer answer = stack.send(path, body);
      if (answer.status != 429) {
        long left = Long.parseLong(answer.reset) * 1000 - System.currentTimeMillis();
        if ("0".equals(answer.remaining) && left > 0) Thread.sleep(left);
        return answer;
      }
      long waitMs = answer.retryAfter.matches("\\d+")
          ? Long.parseLong(answer.retryAfter) * 1000
          : ZonedDateTime.parse(answer.retryAfter, DateTimeFormatter.RFC_1123_DATE_TIME).toInstant().toEpochMilli()
              - System.currentTimeMillis();
      Thread.sleep(Math.max(0, waitMs) + 150L * (1 << attempt));
    }
    throw new IllegalStateException("429");
  }

  static String pet(String name) {
    return "{\"name\":\"" + name + "\",\"categoryId\":" + System.getenv("PETSTORE_CATEGORY_ID") + ",\"status\":\"available\"}";
  }

  static void check(boolean isMet, String expectation) {
    if (!isMet) throw new IllegalStateException("expected " + expectation);
  }

  static List<String> namesIn(String text) {
    List<String> names = new ArrayList<>();
    Matcher matcher = Pattern.compile("(first|second)-one").matcher(text);
    while (matcher.find()) names.add(matcher.group());
    return names;
  }

  public static void main(String[] words) throws Exception {
    Send stack = words[0].equals("HttpClient") ? JavaClient::overHttpClient : JavaClient::overUrlConnection;
    Send patient = (path, body) -> patiently(stack, path, body);
    Send send = words[1].equals("defaults") ? stack : patient;
    switch (words[1]) {
      case "careful", "defaults" -> {
        check(send.send("/pets", pet("Rex")).status == 201, "201");
        Answer page = send.send("/pets?status=available&limit=10", null);
        check(page.status == 200 && !page.text.contains("\"sold\""), "available animals");
      }
      case "expects-order" -> {
        for (String name : List.of("first-one", "second-one")) send.send("/pets", pet(name));
        List<String> names = namesIn(send.send("/pets?limit=100", null).text);
        check(names.equals(names.stream().sorted().toList()), "the oldest first");
      }
      default -> {
        for (String body : List.of("{\"name\":1}", "{\"name\":\"Rex\"}", "{}")) {
          check(send.send("/pets", body).status == 400, "400");
        }
        check(send.send("/pets", null).status == 200, "200");
      }
    }
  }
}
