<?php

declare(strict_types=1);

namespace Switchboard;

/** @phpstan-import-type WebhookEvent from Types */
final class Webhook
{
    /**
     * The event of a call, once its signature and its age are right; otherwise it throws WebhookVerificationException. `$body` is what came,
     * before any parsing (`file_get_contents('php://input')`); `$headers` are `getallheaders()`, `$_SERVER` or those of PSR-7; `$secret`
     * begins with whsec_.
     *
     * @param array<string, mixed> $headers
     * @return WebhookEvent
     */
    public static function verify(string $secret, array $headers, string $body, int $toleranceSeconds = 300, ?int $now = null): array
    {
        $named = [];
        foreach ($headers as $name => $value) {
            $named[preg_replace('/^http-/', '', strtr(strtolower((string) $name), '_', '-'))] = is_array($value) ? ($value[0] ?? null) : $value;
        }
        [$id, $timestamp, $signatures] = array_map(
            static fn (string $name): string => is_scalar($named[$name] ?? null) ? (string) $named[$name] : '',
            ['webhook-id', 'webhook-timestamp', 'webhook-signature'],
        );
        if ($id === '' || $timestamp === '' || $signatures === '') {
            throw new WebhookVerificationException('A header of the signature is missing.');
        }
        if (!ctype_digit($timestamp) || abs(($now ?? time()) - (int) $timestamp) > $toleranceSeconds) {
            throw new WebhookVerificationException('The call is too old, or from the future.');
        }
        $key = (string) base64_decode(preg_replace('/^whsec_/', '', $secret) ?? '', true);
        // under an empty key everyone can sign
        if ($key === '') {
            throw new \InvalidArgumentException('The secret is empty, or is none.');
        }
        $wanted = 'v1,' . base64_encode(hash_hmac('sha256', "{$id}.{$timestamp}.{$body}", $key, true));
        $isSigned = false;
        // during a rotation there are two
        foreach (explode(' ', $signatures) as $signature) {
            $isSigned = hash_equals($wanted, $signature) || $isSigned;
        }
        if (!$isSigned) {
            throw new WebhookVerificationException('No signature is right.');
        }
        return json_decode($body, true, flags: JSON_THROW_ON_ERROR);
    }
}
