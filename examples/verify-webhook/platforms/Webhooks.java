import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.time.Instant;
import java.util.HexFormat;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.stream.Stream;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

public class Webhooks {
  static final BlockingQueue<byte[]> QUEUE = new LinkedBlockingQueue<>(1000); // yours: a table, SQS, Redis

  /** The reason to reject a delivery; null if it was signed with secretKey, at most 300 s before or after now. */
  static String faultOf(byte[] body, String timestamp, String signature, String previous, String secretKey)
      throws GeneralSecurityException {
    if (secretKey == null || secretKey.isEmpty()) return "missing_secret";
    if (timestamp == null || !timestamp.matches("[0-9]{1,15}")) return "malformed_timestamp";
    if (signature == null || !signature.matches("sha256=[0-9a-f]{64}")) return "malformed_signature";
    long age = Instant.now().getEpochSecond() - Long.parseLong(timestamp);
    if (Math.abs(age) > 300) return "outside_replay_window";
    Mac mac = Mac.getInstance("HmacSHA256");
    mac.init(new SecretKeySpec(secretKey.getBytes(StandardCharsets.UTF_8), "HmacSHA256"));
    mac.update((timestamp + ".").getBytes(StandardCharsets.UTF_8));
    String hex = HexFormat.of().formatHex(mac.doFinal(body));
    byte[] expected = ("sha256=" + hex).getBytes(StandardCharsets.UTF_8);
    boolean isMatch =
        Stream.of(signature, previous == null ? "" : previous)
            .anyMatch(each -> MessageDigest.isEqual(expected, each.getBytes(StandardCharsets.UTF_8)));
    return isMatch ? null : "signature_mismatch";
  }

  static void receive(HttpExchange exchange) throws IOException {
    byte[] body = exchange.getRequestBody().readAllBytes();
    var headers = exchange.getRequestHeaders();
    String fault;
    try {
      fault =
          faultOf(
              body,
              headers.getFirst("X-Service-Timestamp"),
              headers.getFirst("X-Service-Signature"),
              headers.getFirst("X-Service-Signature-Previous"),
              System.getenv("SECRET_KEY"));
    } catch (GeneralSecurityException e) {
      throw new IOException(e);
    }
    boolean isTaken = fault == null && QUEUE.offer(body);
    exchange.sendResponseHeaders(isTaken ? 204 : fault == null ? 503 : 401, -1);
    exchange.close();
  }

  public static void main(String[] args) throws IOException {
    int port = Integer.parseInt(System.getenv("PORT"));
    HttpServer server = HttpServer.create(new InetSocketAddress("127.0.0.1", port), 0);
    server.createContext("/webhooks", Webhooks::receive);
    server.start();
  }
}
