<?php

declare(strict_types=1);

namespace Switchboard;

/** One call: its credential, when it is tried again, and what came back. */
final class Http
{
    private const USER_AGENT = 'switchboard-client-php/0.1.0';
    private const LONGEST_WAIT_SECONDS = 60;

    /**
     * @param array<string, array<string, string>|null> $credentials The headers of each; null: not given.
     * @param \Closure(string, string, array<string, string>, mixed, float): array{int, array<string, string>, string} $transport
     * @param \Closure(float): void $pause
     */
    public function __construct(
        private readonly string $baseUrl,
        private readonly array $credentials,
        private readonly int $attempts,
        private readonly float $timeoutSeconds,
        private readonly \Closure $transport,
        private readonly \Closure $pause,
    ) {
    }

    public static function newKey(): string
    {
        return bin2hex(random_bytes(16));
    }

    /**
     * @param list<string|int> $path
     * @param array<string, mixed> $query
     * @param array<string, mixed>|null $body
     * @param array<string, File>|null $files
     */
    public function call(
        string $method,
        string $template,
        ?string $credential,
        array $path = [],
        array $query = [],
        ?array $body = null,
        ?array $files = null,
        ?string $idempotencyKey = null,
    ): mixed {
        $headers = ['Accept' => 'application/json', 'User-Agent' => self::USER_AGENT] + $this->credential($credential);
        $content = null;
        if ($files) {
            [$headers['Content-Type'], $content] = self::form($body ?? [], $files);
        } elseif ($body !== null) {
            $headers['Content-Type'] = 'application/json';
            // an empty array would be a list
            $content = self::json((object) $body);
        }
        if ($idempotencyKey !== null) {
            $headers['Idempotency-Key'] = $idempotencyKey;
        }
        $url = rtrim($this->baseUrl, '/') . vsprintf($template, array_map(self::segment(...), $path)) . self::query($query);
        return $this->attempt($method, $url, $headers, $content, $method === 'GET' || $idempotencyKey !== null);
    }

    /**
     * @param array<string, mixed> $upload
     * @param string|resource $data
     */
    public function upload(array $upload, mixed $data): void
    {
        $once = new self('', [], 1, $this->timeoutSeconds, $this->transport, $this->pause);
        $once->attempt('PUT', $upload['url'] ?? $upload['upload_url'], $upload['headers'], $data, false);
    }

    /** @param array<string, string> $headers */
    private function attempt(string $method, string $url, array $headers, mixed $content, bool $mayRepeat): mixed
    {
        for ($attempt = 1; ; $attempt++) {
            try {
                [$status, $answered, $text] = ($this->transport)($method, $url, $headers, $content, $this->timeoutSeconds);
            } catch (ConnectionException $exception) {
                if ($attempt >= $this->attempts || !$mayRepeat) {
                    throw $exception;
                }
                ($this->pause)(self::backoffSeconds($attempt));
                continue;
            }
            $answer = self::content($answered['content-type'] ?? '', $text);
            if ($status >= 200 && $status < 300) {
                return $answer;
            }
            $retryAfter = $answered['retry-after'] ?? '';
            $problem = new SwitchboardException($status, $answer, $answered['x-request-id'] ?? null, ctype_digit($retryAfter) ? (int) $retryAfter : 0);
            if ($attempt >= $this->attempts || !self::passes($problem, $mayRepeat)) {
                throw $problem;
            }
            ($this->pause)(max($problem->retryAfter, self::backoffSeconds($attempt)));
        }
    }

    /** Refusals that pass by themselves. One that lasts longer than a minute is the caller's to wait for. */
    private static function passes(SwitchboardException $problem, bool $mayRepeat): bool
    {
        if ($problem->retryAfter > self::LONGEST_WAIT_SECONDS) {
            return false;
        }
        // refused before anything was done; the gateway's own refusal has no code
        if ($problem->errorCode === 'rate_limited' || ($problem->status === 429 && $problem->errorCode === 'unknown')) {
            return true;
        }
        return $mayRepeat && ($problem->status >= 500 || $problem->errorCode === 'idempotency_in_progress');
    }

    private static function backoffSeconds(int $attempt): float
    {
        return mt_rand() / mt_getrandmax() * min(8.0, 0.2 * 2 ** $attempt);
    }

    /** @return array<string, string> */
    private function credential(?string $name): array
    {
        if ($name === null) {
            return [];
        }
        return $this->credentials[$name] ?? throw new \InvalidArgumentException("This operation needs {$name}.");
    }

    private static function segment(string|int $value): string
    {
        // an empty part would be another address
        return $value === '' ? throw new \InvalidArgumentException('A part of the path is empty.') : rawurlencode((string) $value);
    }

    /** @param array<string, mixed> $query */
    private static function query(array $query): string
    {
        $given = array_filter($query, static fn (mixed $value): bool => $value !== null);
        return $given === [] ? '' : '?' . http_build_query(array_map(self::text(...), $given));
    }

    private static function text(mixed $value): string
    {
        return is_string($value) ? $value : self::json($value);
    }

    private static function json(mixed $value): string
    {
        return json_encode($value, JSON_THROW_ON_ERROR | JSON_UNESCAPED_UNICODE | JSON_UNESCAPED_SLASHES);
    }

    private static function content(string $contentType, string $text): mixed
    {
        if ($text === '') {
            return null;
        }
        return str_contains($contentType, 'json') ? (json_decode($text, true) ?? $text) : $text;
    }

    /**
     * @param array<string, mixed> $body
     * @param array<string, File> $files
     * @return array{string, string}
     */
    private static function form(array $body, array $files): array
    {
        $boundary = bin2hex(random_bytes(16));
        $parts = '';
        foreach ($body as $name => $value) {
            if ($value !== null) {
                $parts .= "--{$boundary}\r\nContent-Disposition: form-data; name=\"{$name}\"\r\n\r\n" . self::text($value) . "\r\n";
            }
        }
        foreach ($files as $name => $file) {
            $filename = strtr($file->name, ['"' => '%22', "\r" => '%0D', "\n" => '%0A']);
            $parts .= "--{$boundary}\r\nContent-Disposition: form-data; name=\"{$name}\"; filename=\"{$filename}\"\r\n";
            $parts .= "Content-Type: {$file->contentType}\r\n\r\n{$file->content}\r\n";
        }
        return ["multipart/form-data; boundary={$boundary}", "{$parts}--{$boundary}--\r\n"];
    }
}
