<?php

declare(strict_types=1);

namespace Switchboard;

use Switchboard\Operations\AllOperations;

/**
 * A client with the operations by resource: `$client->contacts->create([...])`.
 *
 * @phpstan-import-type Event from Types
 */
final class Switchboard extends AllOperations
{
    private readonly Http $http;

    /**
     * @param string|null $token A personal access token, `swb_...`.
     * @param string|null $publicKey Of a verification profile; the secret key makes a trusted caller, and belongs on a server.
     * @param int $attempts How often a call is tried in all.
     * @param float $timeoutSeconds Of each try.
     * @param (\Closure(string, string, array<string, string>, mixed, float): array{int, array<string, string>, string})|null $transport
     *     Another way than curl; it throws ConnectionException where no answer came.
     * @param (\Closure(float): void)|null $pause How to wait, in seconds.
     */
    public function __construct(
        string $baseUrl,
        ?string $token = null,
        ?string $erpToken = null,
        ?string $publicKey = null,
        ?string $secretKey = null,
        int $attempts = 4,
        float $timeoutSeconds = 30.0,
        ?\Closure $transport = null,
        ?\Closure $pause = null,
    ) {
        $keys = array_filter(['X-Public-Key' => $publicKey, 'X-Secret-Key' => $secretKey]);
        $this->http = new Http(
            $baseUrl,
            [
                'token' => $token === null ? null : ['Authorization' => "Bearer {$token}"],
                'erpToken' => $erpToken === null ? null : ['Authorization' => "Bearer {$erpToken}"],
                'publicKey' => $publicKey === null ? null : $keys,
            ],
            $attempts,
            $timeoutSeconds,
            $transport ?? (new Curl())(...),
            $pause ?? self::pause(...),
        );
        parent::__construct($this->http);
    }

    /**
     * Puts a file where an answer says: the `upload` of an import, or the whole `data` of `media->createUpload`. It is tried once: the address
     * takes one file.
     *
     * @param array<string, mixed> $upload
     * @param string|resource $data
     */
    public function upload(array $upload, mixed $data): void
    {
        $this->http->upload($upload, $data);
    }

    /**
     * Every record of a list, page by page, at the same cost at any depth:
     * `foreach (Switchboard::paginate($client->contacts->list(...), limit: 100) as $contact)`. The rest goes to the method. Lists end: the
     * feed of events does not, and has `follow`.
     *
     * @template T
     * @param callable(mixed...): array{data: list<T>, ...} $list
     * @return \Generator<int, T>
     */
    public static function paginate(callable $list, mixed ...$given): \Generator
    {
        for (;;) {
            $page = $list(...$given);
            // the list of groups has its page within `data`
            $inner = isset($page['data']['data']) ? $page['data'] : $page;
            foreach ($inner['data'] as $record) {
                yield $record;
            }
            $meta = $inner['meta'] ?? $inner;
            $places = ['cursor' => $meta['next_cursor'] ?? null, 'before_id' => $meta['next_before_id'] ?? null];
            $following = array_filter($places, static fn (mixed $place): bool => $place !== null);
            if ($following === [] || ($meta['has_more'] ?? true) === false || array_intersect_assoc($following, $given) === $following) {
                return;
            }
            $given = array_merge($given, $following);
        }
    }

    /**
     * The events of the feed as they happen, without end, from `$after` on, or from now:
     * `foreach (Switchboard::follow($client->events->list(...), $after) as $event)`. Store the `id` of the last one that was worked through:
     * it is where a program that starts again goes on. `$pauseSeconds` between two looks while nothing happens.
     *
     * @param callable(mixed...): array{data: list<Event>, ...} $list
     * @return \Generator<int, Event>
     */
    public static function follow(callable $list, ?string $after = null, float $pauseSeconds = 5.0): \Generator
    {
        // without a place the feed gives its newest events: they are the past of a program that follows from now
        $place = $after ?? $list()['meta']['next_cursor'];
        for (;;) {
            $page = $list(after: $place);
            foreach ($page['data'] as $event) {
                yield $event;
            }
            $place = $page['meta']['next_cursor'];
            if (!$page['meta']['has_more']) {
                self::pause($pauseSeconds);
            }
        }
    }

    private static function pause(float $seconds): void
    {
        usleep((int) ($seconds * 1_000_000));
    }
}
