<?php

declare(strict_types=1);

namespace Switchboard;

/** Calls by the extension curl, over one connection while it lasts. */
final class Curl
{
    private ?\CurlHandle $handle = null;

    /**
     * @param array<string, string> $headers
     * @param string|resource|null $body
     * @return array{int, array<string, string>, string} Status, headers by their names in lower case, and body of the answer.
     */
    public function __invoke(string $method, string $url, array $headers, mixed $body, float $timeoutSeconds): array
    {
        $this->handle ??= curl_init();
        curl_reset($this->handle);
        $answered = [];
        $lines = ['Expect:'];
        foreach ($headers as $name => $value) {
            $lines[] = "{$name}: {$value}";
        }
        curl_setopt_array($this->handle, [
            CURLOPT_URL => $url,
            CURLOPT_CUSTOMREQUEST => $method,
            CURLOPT_HTTPHEADER => $lines,
            CURLOPT_RETURNTRANSFER => true,
            // a redirect would take the credentials to another address
            CURLOPT_FOLLOWLOCATION => false,
            CURLOPT_PROTOCOLS => CURLPROTO_HTTP | CURLPROTO_HTTPS,
            CURLOPT_TIMEOUT_MS => (int) ($timeoutSeconds * 1000),
            CURLOPT_HEADERFUNCTION => static function (\CurlHandle $handle, string $line) use (&$answered): int {
                [$name, $value] = explode(':', $line, 2) + [1 => ''];
                $answered[strtolower(trim($name))] = trim($value);
                return strlen($line);
            },
        ]);
        if (is_resource($body)) {
            curl_setopt_array($this->handle, [
                CURLOPT_UPLOAD => true,
                CURLOPT_INFILE => $body,
                CURLOPT_INFILESIZE => fstat($body)['size'] ?? -1,
            ]);
        } elseif ($body !== null) {
            curl_setopt($this->handle, CURLOPT_POSTFIELDS, $body);
        }
        $text = curl_exec($this->handle);
        if (!is_string($text)) {
            throw new ConnectionException(curl_error($this->handle));
        }
        return [curl_getinfo($this->handle, CURLINFO_RESPONSE_CODE), $answered, $text];
    }
}
