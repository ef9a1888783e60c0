<?php
// A client on streams or cURL, of one of several kinds: php-client.php STACK KIND.
[, $stack, $kind] = $argv;
$base = getenv('PETSTORE_BASE_URL');

function over_streams(string $path, ?string $body): array
{
    global $base;
    $headers = ['Authorization: Bearer ' . getenv('PETSTORE_API_KEY')];
    if ($body !== null) $headers[] = 'Content-Type: application/json';
    $http = ['method' => $body === null ? 'GET' : 'POST', 'header' => $headers, 'content' => $body ?? '', 'ignore_errors' => true];
    $text = file_get_contents($base . $path, false, stream_context_create(['http' => $http]));
    $status = 0;
    $found = [];
    foreach ($http_response_header as $line) {
        if (preg_match('~^HTTP/\S+ (\d+)~', $line, $match)) [$status, $found] = [(int) $match[1], []];
        elseif (str_contains($line, ':')) {
            [$name, $value] = explode(':', $line, 2);
            $found[strtolower($name)] = trim($value);
        }
    }
    return [$status, $text, $found];
}

function over_curl(string $path, ?string $body): array
{
    global $base;
    $found = [];
    $handle = curl_init($base . $path);
    $headers = ['Authorization: Bearer ' . getenv('PETSTORE_API_KEY')];
    if ($body !== null) {
        $headers[] = 'Content-Type: application/json';
        curl_setopt($handle, CURLOPT_POSTFIELDS, $body);
    }
    curl_setopt_array($handle, [
        CURLOPT_RETURNTRANSFER => true,
        CURLOPT_FOLLOWLOCATION => true,
        CURLOPT_HTTPHEADER => $headers,
        CURLOPT_HEADERFUNCTION => function ($_, string $line) use (&$found): int {
            if (str_contains($line, ':')) {
                [$name, $value] = explode(':', $line, 2);
                $found[strtolower($name)] = trim($value);
            }
            return strlen($line);
        },
    ]);
    $text = curl_exec($handle);
    return [curl_getinfo($handle, CURLINFO_RESPONSE_CODE), $text, $found];
}

function ask(string $path, ?string $body = null): array
{
    global $stack;
    return $stack === 'streams' ? over_streams($path, $body) : over_curl($path, $body);
}

function patiently(string $path, ?string $body = null): array
{
    for ($attempt = 0; $attempt < 6; $attempt++) {
        [$status, $text, $headers] = ask($path, $body);
        if ($status !== 429) {
            $left = (int) ($headers['x-ratelimit-reset'] ?? 0) - microtime(true);
            if (($headers['x-ratelimit-remaining'] ?? '') === '0' && $left > 0) usleep((int) ($left * 1e6));
            return [$status, $text];
        }
        $asked = $headers['retry-after'];
        $wait = ctype_digit($asked) ? (int) $asked : strtotime($asked) - microtime(true);
        usleep((int) ((max(0, $wait) + 0.15 * 2 ** $attempt) * 1e6));
    }
    exit('refused');
}

function expect(bool $isMet, string $expectation): void
{
    if ($isMet) return;
    fwrite(STDERR, "expected $expectation\n");
    exit(1);
}

$pet = sprintf('{"name":"Rex","categoryId":%s,"status":"available"}', getenv('PETSTORE_CATEGORY_ID'));
$send = $kind === 'defaults' ? 'ask' : 'patiently';
[$status, $text] = $send('/pets', $pet);
expect($status === 201, '201');
// Integers beyond 64 bits alone become floats.
$id = json_decode($text)->id;
switch ($kind) {
    case 'careful':
    case 'defaults':
        [$status, $text] = $send('/pets?status=available&limit=10');
        expect($status === 200 && is_array(json_decode($text)), 'a page');
        break;
    case 'by-id':
        ask("/pets/$id");
        break;
    case 'by-id-as-float':
        [$status] = patiently('/pets/' . sprintf('%.0f', (float) $id));
        expect($status === 200, '200');
        break;
}
