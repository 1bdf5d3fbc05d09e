<?php
// Receives events with PHP 8 or newer, and nothing else.
//
//   SECRET=whsec_... php -S 127.0.0.1:3000 receiver.php

$key = base64_decode(preg_replace('/^whsec_/', '', getenv('SECRET')), true);
if (!$key) {
    http_response_code(500);
    exit('Set SECRET to the signing secret of the webhook.');
}

/** Verifies a message as https://www.standardwebhooks.com describes. */
function is_genuine(string $key, string $body): bool
{
    $id = $_SERVER['HTTP_WEBHOOK_ID'] ?? '';
    $timestamp = $_SERVER['HTTP_WEBHOOK_TIMESTAMP'] ?? '';
    if ($id === '' || !ctype_digit($timestamp) || abs(time() - (int) $timestamp) > 300) {
        return false;
    }
    $want = 'v1,' . base64_encode(hash_hmac('sha256', "$id.$timestamp.$body", $key, true));
    foreach (explode(' ', $_SERVER['HTTP_WEBHOOK_SIGNATURE'] ?? '') as $part) { // one for each active secret
        if (hash_equals($want, $part)) {
            return true;
        }
    }
    return false;
}

$body = file_get_contents('php://input'); // the bytes as they were received
if (!is_genuine($key, $body)) {
    http_response_code(400);
    exit;
}
http_response_code(204);

$event = json_decode($body, true);
$seen = sys_get_temp_dir() . '/slipway-' . preg_replace('/\W/', '', $event['id']); // a real receiver stores these IDs in its database
if (!file_exists($seen)) { // a message can come twice
    touch($seen);
    file_put_contents('php://stdout', $event['type'] . ' ' . ($event['data']['object']['id'] ?? '') . "\n");
}
