<?php

declare(strict_types=1);

// What the hand-written part promises, without a server: php clients/php/tests/unit.php

require __DIR__ . '/../autoload.php';

use Switchboard\ConnectionException;
use Switchboard\File;
use Switchboard\Switchboard;
use Switchboard\SwitchboardException;
use Switchboard\Webhook;
use Switchboard\WebhookVerificationException;

/** Answers in turn; an exception is a connection that breaks. */
final class Server
{
    /** @var list<array{string, string, array<string, string>, mixed}> */
    public array $calls = [];
    /** @var list<float> */
    public array $pauses = [];
    /** @var list<mixed> */
    private array $answers;

    public function __construct(mixed ...$answers)
    {
        $this->answers = array_values($answers);
    }

    public function client(mixed ...$options): Switchboard
    {
        return new Switchboard(...['baseUrl' => 'https://api.example.test/', 'token' => 'swb_test', ...$options], transport: $this->answer(...), pause: $this->pause(...));
    }

    /** @return list<string|null> */
    public function keys(): array
    {
        return array_map(static fn (array $call): ?string => $call[2]['Idempotency-Key'] ?? null, $this->calls);
    }

    private function pause(float $seconds): void
    {
        $this->pauses[] = $seconds;
    }

    /** @return array{int, array<string, string>, string} */
    private function answer(string $method, string $url, array $headers, mixed $body): array
    {
        $this->calls[] = [$method, $url, $headers, $body];
        $given = array_shift($this->answers) ?? answer(200, ['data' => []]);
        return $given instanceof Throwable ? throw $given : $given;
    }
}

/** @return array{int, array<string, string>, string} */
function answer(int $status, mixed $body, string ...$headers): array
{
    return [$status, ['content-type' => 'application/json'] + $headers, json_encode($body)];
}

/** @return array{int, array<string, string>, string} */
function refusal(int $status, string $code, string ...$headers): array
{
    return answer($status, ['status' => 'error', 'message' => 'No.', 'code' => $code], ...$headers);
}

function same(mixed $wanted, mixed $got): void
{
    if ($wanted !== $got) {
        throw new RuntimeException('Wanted ' . var_export($wanted, true) . ', got ' . var_export($got, true));
    }
}

/** @template T of Throwable @param class-string<T> $class @return T */
function thrown(string $class, callable $act): Throwable
{
    try {
        $act();
    } catch (Throwable $caught) {
        same($class, $caught::class);
        return $caught;
    }
    throw new RuntimeException("{$class} was not thrown.");
}

$broken = new ConnectionException('reset');

$tests = [
    'a call has its address, credential and body' => static function (): void {
        $server = new Server();
        $api = $server->client(publicKey: 'pk', secretKey: 'sk', erpToken: 'erp_test');
        $api->contacts->list(search: 'a & b', limit: 2);
        $api->contacts->update(7, ['name' => 'Zoë']);
        $api->verification->getStatus('a/b');
        $api->erp->sync(['products' => []]);
        $api->conversations->list(unread: true);
        $api->numbers->connect(1, []);
        same('https://api.example.test/api/v1/contacts?search=a+%26+b&limit=2', $server->calls[0][1]);
        same(['Bearer swb_test', null], [$server->calls[0][2]['Authorization'], $server->calls[0][3]]);
        same(['PATCH', 'https://api.example.test/api/v1/contacts/7'], array_slice($server->calls[1], 0, 2));
        same('{"name":"Zoë"}', $server->calls[1][3]);
        same(true, str_ends_with($server->calls[2][1], '/status/a%2Fb'));
        same(['pk', 'sk', false], [$server->calls[2][2]['X-Public-Key'], $server->calls[2][2]['X-Secret-Key'], isset($server->calls[2][2]['Authorization'])]);
        same('Bearer erp_test', $server->calls[3][2]['Authorization']);
        same(true, str_ends_with($server->calls[4][1], '?unread=true'));
        same('{}', $server->calls[5][3]);
    },
    'what is missing is named before anything is sent' => static function (): void {
        $server = new Server();
        thrown(InvalidArgumentException::class, static fn () => $server->client()->verification->getConfig());
        thrown(InvalidArgumentException::class, static fn () => $server->client(publicKey: 'pk')->verification->getStatus(''));
        same([], $server->calls);
    },
    'a write has one key over all tries' => static function () use ($broken): void {
        $server = new Server($broken, refusal(503, 'temporarily_unavailable'), refusal(409, 'idempotency_in_progress', ...['retry-after' => '1']));
        $server->client()->contacts->create(['phone' => '+4915123456789']);
        same([4, 1], [count($server->calls), count(array_unique($server->keys()))]);
        same(true, $server->pauses[2] >= 1);
        $server = new Server();
        $server->client()->contacts->create(['phone' => '+4915123456789'], idempotencyKey: 'own');
        $server->client()->contacts->list();
        same(['own', null], $server->keys());
    },
    'what takes no key is repeated only after a refusal' => static function () use ($broken): void {
        foreach ([$broken, refusal(503, 'temporarily_unavailable')] as $first) {
            $server = new Server($first);
            thrown($first === $broken ? ConnectionException::class : SwitchboardException::class, static fn () => $server->client()->templates->render(3, []));
            same(1, count($server->calls));
        }
        $server = new Server(refusal(429, 'rate_limited'));
        $server->client()->templates->render(3, []);
        same(2, count($server->calls));
    },
    'tries end' => static function () use ($broken): void {
        $server = new Server(...array_fill(0, 9, refusal(503, 'temporarily_unavailable')));
        same(503, thrown(SwitchboardException::class, static fn () => $server->client(attempts: 3)->tags->list())->status);
        same(3, count($server->calls));
        $server = new Server(...array_fill(0, 9, $broken));
        thrown(ConnectionException::class, static fn () => $server->client(attempts: 2)->tags->list());
        same(2, count($server->calls));
    },
    'other refusals are thrown at once, and Retry-After is waited for' => static function (): void {
        $refusals = [refusal(403, 'plan_limit_reached'), refusal(429, 'check_phone_quota'), refusal(409, 'idempotency_key_reused'), refusal(429, 'rate_limited', ...['retry-after' => '61'])];
        foreach ($refusals as $first) {
            $server = new Server($first);
            thrown(SwitchboardException::class, static fn () => $server->client()->tags->list());
            same(1, count($server->calls));
        }
        // the gateway's own refusal has no code
        $server = new Server(answer(429, ['message' => 'Too many requests'], ...['retry-after' => '7']));
        $server->client()->tags->list();
        same([7.0], array_map('floatval', $server->pauses));
    },
    'an error says what and what to do' => static function (): void {
        $body = ['message' => 'Some fields are not valid.', 'code' => 'validation_failed', 'errors' => ['phone' => ['Too short.']], 'remedy' => 'Correct them.', 'doc_url' => '/docs'];
        $server = new Server(answer(422, $body, ...['x-request-id' => 'req_1']));
        $error = thrown(SwitchboardException::class, static fn () => $server->client()->contacts->create(['phone' => '12']));
        same(['validation_failed', ['phone' => ['Too short.']], 'req_1', 'Correct them.', '/docs'], [$error->errorCode, $error->fields, $error->requestId, $error->remedy, $error->docUrl]);
        same('Some fields are not valid. phone: Too short. (validation_failed, req_1)', $error->getMessage());
        $server = new Server(answer(422, ['error' => 'Not valid.', 'code' => 'validation_failed', 'details' => ['identifier' => ['Required.']]]));
        $error = thrown(SwitchboardException::class, static fn () => $server->client(publicKey: 'pk')->verification->request(['identifier' => '']));
        same(['identifier' => ['Required.']], $error->fields);
        $server = new Server([502, [], 'Bad gateway']);
        same('unknown', thrown(SwitchboardException::class, static fn () => $server->client(attempts: 1)->tags->list())->errorCode);
    },
    'files go as a form, and uploads without a credential' => static function () use ($broken): void {
        $server = new Server($broken);
        $server->client()->messages->sendText(['phone' => '+4915123456789', 'voice' => true], files: ['image' => new File('a"b.png', "\x89PNG", 'image/png')]);
        same($server->calls[0], $server->calls[1]);
        same(true, str_contains($server->calls[0][3], "Content-Disposition: form-data; name=\"voice\"\r\n\r\ntrue\r\n"));
        same(true, str_contains($server->calls[0][3], "name=\"image\"; filename=\"a%22b.png\"\r\nContent-Type: image/png\r\n\r\n\x89PNG\r\n"));
        $server = new Server();
        $server->client()->upload(['url' => 'https://files.example.test/1', 'headers' => ['content-type' => 'text/csv']], "phone\n");
        same([['PUT', 'https://files.example.test/1', ['content-type' => 'text/csv'], "phone\n"]], $server->calls);
    },
    'a list is walked to its end' => static function (): void {
        $server = new Server(
            answer(200, ['data' => [['id' => 3], ['id' => 2]], 'meta' => ['next_cursor' => 'two']]),
            answer(200, ['data' => [['id' => 1]], 'meta' => ['next_cursor' => null]]),
        );
        same([3, 2, 1], array_column(iterator_to_array(Switchboard::paginate($server->client()->contacts->list(...), limit: 2), false), 'id'));
        same(true, str_contains($server->calls[1][1], 'cursor=two'));
        $server = new Server(
            answer(200, ['data' => [9], 'meta' => ['has_more' => true, 'next_before_id' => 9]]),
            answer(200, ['data' => [8], 'meta' => ['has_more' => false, 'next_before_id' => 8]]),
        );
        same([9, 8], iterator_to_array(Switchboard::paginate($server->client()->conversations->listMessages(...), 4), false));
        $groups = new Server(answer(200, ['data' => ['data' => [1], 'next_cursor' => 'b']]), answer(200, ['data' => ['data' => [2], 'next_cursor' => null]]));
        same([1, 2], iterator_to_array(Switchboard::paginate($groups->client()->groups->list(...)), false));
        $one = new Server(answer(200, ['data' => [1]]));
        same([1], iterator_to_array(Switchboard::paginate($one->client()->tags->list(...)), false));
        $stuck = answer(200, ['data' => [1], 'meta' => ['next_cursor' => 'same']]);
        same([1, 1], iterator_to_array(Switchboard::paginate((new Server($stuck, $stuck, $stuck))->client()->contacts->list(...)), false));
        $feed = new Server(answer(200, ['data' => [1], 'meta' => ['has_more' => true, 'next_cursor' => '1']]));
        thrown(Error::class, static fn () => iterator_to_array(Switchboard::paginate($feed->client()->events->list(...)), false));
    },
    'the feed is followed from a place and from now' => static function (): void {
        $page = static fn (array $ids, string $place, bool $hasMore): array => answer(200, ['data' => $ids, 'meta' => ['has_more' => $hasMore, 'next_cursor' => $place]]);
        $server = new Server($page(['3'], '3', true), $page([], '3', false), $page(['4'], '4', false));
        $events = Switchboard::follow($server->client()->events->list(...), '2', 0.001);
        $seen = [$events->current()];
        $events->next();
        same(['3', '4'], [...$seen, $events->current()]);
        $server = new Server($page(['1'], '1', false), $page(['2'], '2', false));
        same('2', Switchboard::follow($server->client()->events->list(...))->current());
    },
    'each vector of webhooks' => static function (): void {
        $vectors = json_decode(file_get_contents(__DIR__ . '/../../webhook-vectors.json'), true);
        foreach ($vectors as ['name' => $name, 'is_valid' => $isValid, 'secret' => $secret, 'headers' => $headers, 'body' => $body, 'now' => $now]) {
            try {
                same(json_decode($body, true), Webhook::verify($secret, $headers, $body, now: $now));
                same([$name, true], [$name, $isValid]);
            } catch (WebhookVerificationException) {
                same([$name, false], [$name, $isValid]);
            }
        }
        ['secret' => $secret, 'headers' => $headers, 'body' => $body, 'now' => $now] = $vectors[0];
        $server = [];
        $psr = [];
        foreach ($headers as $name => $value) {
            $server['HTTP_' . strtoupper(strtr($name, '-', '_'))] = $value;
            $psr[ucwords($name, '-')] = [$value];
        }
        same(['test' => 2432232314], Webhook::verify($secret, $server, $body, now: $now));
        same(['test' => 2432232314], Webhook::verify($secret, $psr, $body, now: $now));
        thrown(InvalidArgumentException::class, static fn () => Webhook::verify('', $headers, $body, now: $now));
    },
];

$failed = 0;
foreach ($tests as $name => $test) {
    try {
        $test();
        echo "ok {$name}\n";
    } catch (Throwable $problem) {
        $failed++;
        echo "FAILED {$name}: {$problem}\n";
    }
}
exit($failed > 0 ? 1 : 0);
