<?php

declare(strict_types=1);

// Walks the eleven guides of docs/guides with the client against a product on this computer:
// php clients/php/tests/walk_guides.php .local/demo.json

require __DIR__ . '/../autoload.php';

use Switchboard\File;
use Switchboard\Switchboard;
use Switchboard\SwitchboardException;
use Switchboard\Webhook;
use Switchboard\WebhookVerificationException;

$demo = json_decode(file_get_contents($argv[1]), true, flags: JSON_THROW_ON_ERROR);
$company = $demo['companies'][0];
$base = $demo['base_url'];
$api = new Switchboard($base, $company['tokens']['owner']);
$run = bin2hex(random_bytes(3));
$digits = (string) random_int(1000, 9999);
$ada = "+491512355{$digits}";
$grace = "+491512356{$digits}";
$bare = static fn (string $phone): string => ltrim($phone, '+');

/** What is no operation of the client: the laptop's controls, and a shop that posts. */
$post = static function (string $url, ?array $body = null, string $method = 'POST'): array {
    $options = ['method' => $method, 'header' => 'Content-Type: application/json', 'content' => $body === null ? '' : json_encode($body)];
    return json_decode(file_get_contents($url, context: stream_context_create(['http' => $options])), true, flags: JSON_THROW_ON_ERROR);
};
$control = static fn (string $method, string $path, ?array $body = null): array
    => $post(rtrim($demo['local']['control_url'], '/') . '/' . $path, $body, $method);

function check(bool $holds, string $what): void
{
    if (!$holds) {
        throw new RuntimeException("It does not hold that {$what}.");
    }
}

/** What a look finds, at most a minute later. */
function until(callable $look): mixed
{
    for ($nth = 0; $nth < 600; $nth++) {
        $found = $look();
        if ($found) {
            return $found;
        }
        usleep(100_000);
    }
    throw new RuntimeException('Nothing came within a minute.');
}

/** The code of a refusal. */
function refused(callable $call): string
{
    try {
        $call();
    } catch (SwitchboardException $problem) {
        check($problem->requestId !== null, 'a refusal has a request id');
        return $problem->errorCode;
    }
    return 'none';
}

$writeAsCustomer = static fn (string $phone, string $text): array => $control('POST', 'provider/inbound', [
    'company_id' => $company['id'], 'from' => $bare($phone), 'name' => 'Ada', 'type' => 'text', 'text' => $text,
]);

$guides = [
    'first message' => static function () use ($api, $ada, $run): void {
        $body = [
            'phone' => $ada,
            'template_name' => 'order_update',
            'template_language' => 'en',
            'components' => [['type' => 'body', 'parameters' => [['type' => 'text', 'text' => 'Ada'], ['type' => 'text', 'text' => 'A-1042']]]],
        ];
        $sent = $api->messages->sendTemplate($body, idempotencyKey: "order-{$run}")['data'];
        $again = $api->messages->sendTemplate($body, idempotencyKey: "order-{$run}")['data'];
        check($again['message_id'] === $sent['message_id'], 'one key is one message');
        until(static function () use ($api, $sent): bool {
            $newest = $api->conversations->listMessages($sent['conversation_id'])['data'][0];
            return $newest['id'] === $sent['message_id'] && $newest['status'] === 4;
        });
    },
    'authentication' => static function () use ($api, $base, $company): void {
        $me = $api->me->get()['data'];
        check($me['company_id'] === $company['id'] && $me['role'] === 'owner', 'the token is of the owner');
        check(refused(static fn () => (new Switchboard($base, 'swb_wrong'))->me->get()) === 'token_invalid', 'a wrong token is refused');
        try {
            $api->contacts->create(['phone' => '12']);
            check(false, 'a wrong phone is refused');
        } catch (SwitchboardException $problem) {
            check($problem->errorCode === 'validation_failed' && isset($problem->fields['phone']), 'the field is named');
            check($problem->remedy !== null && $problem->docUrl !== null, 'a remedy is given');
        }
    },
    'contacts' => static function () use ($api, $ada, $grace, $bare): void {
        $contact = $api->contacts->create(['phone' => $ada, 'name' => 'Ada Lovelace', 'groups' => ['Spring list']])['data'];
        check(in_array('Spring list', array_column($contact['groups'], 'name'), true), 'the group is made');
        check(is_array($api->contacts->listConsents($contact['id'])['data']), 'consents are listed');
        $csv = "phone,name,subscribed,groups\n{$grace},Grace Hopper,yes,Spring list\n";
        $made = $api->contacts->createImport(['filename' => 'contacts.csv', 'size' => strlen($csv)])['data'];
        $file = fopen('php://temp', 'w+');
        fwrite($file, $csv);
        rewind($file);
        $api->upload($made['upload'], $file);
        $api->contacts->startImport($made['id']);
        until(static fn (): bool => $api->contacts->getImport($made['id'])['data']['status'] === 'completed');
        $phones = array_column(iterator_to_array(Switchboard::paginate($api->contacts->list(...), limit: 1), false), 'phone');
        check(array_diff([$bare($ada), $bare($grace)], $phones) === [], 'both are listed');
        check(count($phones) === count(array_unique($phones)), 'each is listed once');
        $groups = array_column(iterator_to_array(Switchboard::paginate($api->groups->list(...), limit: 1), false), 'name');
        check(in_array('Spring list', $groups, true), 'the group is listed');
        $changed = $api->contacts->update($contact['id'], ['add_groups' => ['Newsletter'], 'city' => 'Berlin'])['data'];
        check(in_array('Newsletter', array_column($changed['groups'], 'name'), true), 'a group is added');
        check(array_key_exists('stop', $api->conversations->getKeywords()['data']), 'keywords are answered');
        $filter = ['match' => 'all', 'rules' => [['field' => 'city', 'op' => 'eq', 'value' => 'Berlin']]];
        $job = $api->contactJobs->create(['filter' => $filter, 'change' => ['add_groups' => ['Berlin']]])['data'];
        $export = $api->contactJobs->create(['all' => true, 'export' => 'csv'])['data'];
        foreach ([$job, $export] as $each) {
            until(static fn (): bool => $api->contactJobs->get($each['id'])['data']['status'] === 'completed');
        }
        check($api->contactJobs->get($export['id'])['data']['files'] !== [], 'the export has a file');
    },
    'conversations' => static function () use ($api, $ada, $bare, $writeAsCustomer): void {
        $writeAsCustomer($ada, 'Is it in stock?');
        $conversation = until(static fn (): ?array => array_values(array_filter(
            $api->conversations->list()['data'],
            static fn (array $each): bool => $each['contact']['phone'] === $bare($ada) && $each['window']['open'],
        ))[0] ?? null);
        $buttons = [['id' => 'yes', 'title' => 'Yes'], ['id' => 'no', 'title' => 'No']];
        $api->messages->sendText(['phone' => $ada, 'message' => 'Yes, shall we reserve one?', 'buttons' => $buttons]);
        $pixel = base64_decode('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGNgAAAAAgAB4iG8MwAAAABJRU5ErkJggg==');
        $files = ['image' => new File('one.png', $pixel, 'image/png')];
        $picture = $api->messages->sendText(['phone' => $ada, 'message' => 'This one'], files: $files);
        check($picture['data']['conversation_id'] === $conversation['id'], 'the picture is in the conversation');
        $announced = $api->media->createUpload(['filename' => 'one.png', 'content_type' => 'image/png', 'size' => strlen($pixel)])['data'];
        $api->upload($announced, $pixel);
        $api->messages->sendText(['phone' => $ada, 'media_id' => $announced['media_id']]);
        $later = ['phone' => $ada, 'message' => 'Still there?', 'scheduled_at' => '2027-02-01T09:00:00+01:00'];
        $api->messages->cancel($api->messages->sendText($later)['data']['message_id']);
        $api->conversations->read($conversation['id']);
        $walked = array_column(iterator_to_array(Switchboard::paginate($api->conversations->listMessages(...), $conversation['id'], limit: 1), false), 'id');
        check(count($walked) >= 3 && count($walked) === count(array_unique($walked)), 'each message is listed once');
        $api->contacts->block($conversation['contact']['id']);
        $send = static fn () => $api->messages->sendText(['phone' => $ada, 'message' => 'Hello?']);
        check(refused($send) === 'recipient_blocked', 'a blocked contact is not written to');
        $api->contacts->unblock($conversation['contact']['id']);
    },
    'templates' => static function () use ($api, $run): void {
        $name = "pickup_ready_{$run}";
        $text = 'Hi {{1}}, your order {{2}} is ready for pickup.';
        $made = $api->templates->create([
            'name' => $name,
            'language' => 'en',
            'category' => 'UTILITY',
            'components' => [['type' => 'BODY', 'text' => $text, 'example' => ['body_text' => [['Ada', 'A-1042']]]]],
        ])['data'];
        until(static fn (): bool => $api->templates->get($made['id'])['data']['status'] === 'APPROVED');
        check(array_column($api->templates->list(name: $name)['data'], 'name') === [$name], 'it is listed by its name');
        check($api->templates->listLibrary()['data'] !== [], 'the library has templates');
        $api->templates->syncAll();
        check(is_array($api->templates->getAnalytics($made['id'])['data']['days']), 'there are figures');
    },
    'campaigns' => static function () use ($api, $grace, $bare, $run): void {
        $api->contacts->create(['phone' => $grace, 'name' => 'Grace Hopper', 'subscribed' => true, 'groups' => ["Spring {$run}"]]);
        $groupId = array_column(iterator_to_array(Switchboard::paginate($api->groups->list(...)), false), 'id', 'name')["Spring {$run}"];
        $templateId = $api->templates->list(name: 'spring_sale')['data'][0]['id'];
        $audience = ['audience_type' => 'group', 'group_id' => $groupId, 'template_id' => $templateId];
        check($api->campaigns->previewAudience($audience)['data']['eligible_contacts'] === 1, 'one contact is eligible');
        $body = ['name' => "Spring {$run}", 'template_id' => $templateId, 'group_id' => $groupId];
        $placeholders = ['parammatch' => ['1' => 'name'], 'paramvalues' => ['1' => 'there']];
        $campaign = $api->campaigns->create($body + $placeholders, idempotencyKey: "spring-{$run}")['data'];
        until(static fn (): bool => $api->campaigns->get($campaign['id'])['data']['status'] === 'completed');
        $recipients = iterator_to_array(Switchboard::paginate($api->campaigns->listMessages(...), $campaign['id'], limit: 1), false);
        check(array_column($recipients, 'phone') === [$bare($grace)], 'it has one recipient');
        check(str_contains($api->campaigns->exportMessages($campaign['id']), $bare($grace)), 'the file has the recipient');
        $waiting = $api->campaigns->create($body + ['paramvalues' => ['1' => 'there'], 'send_time' => '2027-03-01T09:00:00'])['data'];
        $api->campaigns->update($waiting['id'], ['is_active' => false]);
        $api->campaigns->delete($waiting['id']);
    },
    'webhooks' => static function () use ($api, $base, $company, $ada, $run, $writeAsCustomer): void {
        $server = stream_socket_server('tcp://127.0.0.1:0');
        $admin = new Switchboard($base, $company['tokens']['admin']);
        $url = 'http://' . stream_socket_get_name($server, false) . '/switchboard';
        $endpoint = $admin->webhooks->create(['url' => $url, 'events' => ['message.received']])['data'];
        $place = $api->events->list(limit: 1)['meta']['next_cursor'];
        /** The next call to the endpoint: its headers and its body. */
        $receive = static function () use ($server): array {
            $connection = stream_socket_accept($server, 60) ?: throw new RuntimeException('No call came.');
            fgets($connection);
            $headers = [];
            while (($line = rtrim((string) fgets($connection))) !== '') {
                [$name, $value] = explode(':', $line, 2);
                $headers[$name] = trim($value);
            }
            $body = stream_get_contents($connection, (int) array_change_key_case($headers)['content-length']);
            fwrite($connection, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
            fclose($connection);
            return [$headers, $body];
        };
        try {
            $writeAsCustomer($ada, "Is it in stock? {$run}");
            do {
                [$headers, $body] = $receive();
                $event = Webhook::verify($endpoint['secret'], $headers, $body);
            } while ($event['data']['value'] !== "Is it in stock? {$run}");
            foreach ([['whsec_b3RoZXI=', $body], [$endpoint['secret'], "{$body} "]] as [$secret, $text]) {
                try {
                    Webhook::verify($secret, $headers, $text);
                    check(false, 'a wrong signature is refused');
                } catch (WebhookVerificationException) {
                }
            }
            foreach (Switchboard::follow($api->events->list(...), $place) as $listed) {
                if ($listed['type'] === 'message.received') {
                    break;
                }
            }
            until(static fn (): bool => in_array('delivered', array_column(iterator_to_array(
                Switchboard::paginate($admin->webhooks->listDeliveries(...), $endpoint['id']),
                false,
            ), 'status'), true));
            $rotated = $admin->webhooks->rotateSecret($endpoint['id'])['data'];
            $admin->webhooks->test($endpoint['id']);
            [$headers, $body] = $receive();
            foreach ([$endpoint['secret'], $rotated['secret']] as $secret) {
                check(Webhook::verify($secret, $headers, $body)['id'] !== '', 'both secrets sign');
            }
        } finally {
            $admin->webhooks->delete($endpoint['id']);
        }
    },
    'verification' => static function () use ($base, $company, $control, $digits): void {
        $keys = $company['verification'];
        $server = new Switchboard($base, publicKey: $keys['public_key'], secretKey: $keys['secret_key']);
        $label = bin2hex(random_bytes(24));
        $phone = "+491512357{$digits}";
        $server->verification->getConfig();
        $before = count($control('GET', 'provider/messages')['data']);
        $body = ['identifier' => $phone, 'purpose' => 'login', 'ip_address' => '203.0.113.8', 'trust_key' => $label];
        $requested = $server->verification->request($body);
        check($requested['cached'] === false, 'nothing is known of the phone');
        $code = until(static function () use ($control, $before): ?string {
            $sent = array_slice($control('GET', 'provider/messages')['data'], $before);
            return preg_match('/"text":"(\d{4,8})"/', json_encode(end($sent)), $found) ? $found[1] : null;
        });
        $wrong = str_repeat(trim($code, '0') === '' ? '1' : '0', strlen($code));
        $attempt = ['request_id' => $requested['request_id'], 'ip_address' => '203.0.113.8'];
        check($server->verification->verifyCode($attempt + ['code' => $wrong])['verified'] === false, 'a wrong code is refused');
        $done = $server->verification->verifyCode($attempt + ['code' => $code]);
        check($done['verified'] && $done['identifier'] === $phone, 'the code verifies');
        $status = $server->verification->getStatus($requested['request_id']);
        check($status['is_verified'] && $status['purpose'] === 'login', 'the status says so');
        $again = $server->verification->request(['identifier' => $phone, 'purpose' => 'login', 'trust_key' => $done['trust_key']]);
        check($again['cached'] === true, 'a trust key needs no code');
    },
    'shop' => static function () use ($api, $base, $company, $ada, $run, $post): void {
        $erp = new Switchboard($base, erpToken: $company['shop']['erp_token']);
        $row = ['external_id' => "TEA-{$run}", 'name' => 'Green tea', 'price' => '4.90', 'currency' => 'EUR', 'stock_quantity' => 12];
        check($erp->erp->sync(['products' => [$row]])['data']['errors'] === [], 'the row is taken');
        $number = "A-{$run}";
        $custom = $company['shop']['receivers']['custom']['url'];
        $order = ['order_number' => $number, 'customer_name' => 'Ada', 'customer_phone' => $ada, 'total_amount' => '9.80', 'currency' => 'EUR'];
        $post($custom, ['event' => 'order.placed', 'data' => $order]);
        $changed = ['order_number' => $number, 'status' => 'Fulfilled', 'tracking_number' => '00340434161094042557'];
        $post($custom, ['event' => 'order.status_updated', 'data' => $changed]);
        until(static fn (): bool => array_column($api->orders->list(search: $number)['data'], 'status') === ['Fulfilled']);
        $orders = iterator_to_array(Switchboard::paginate($api->orders->list(...), status: 'Fulfilled', limit: 1), false);
        check(in_array($number, array_column($orders, 'order_number'), true), 'the order is listed');
        $templates = array_column(iterator_to_array(Switchboard::paginate($api->templates->list(...)), false), 'id', 'name');
        $notice = [
            'template_id' => $templates['order_update'],
            'parammatch' => ['1' => 'customer_name', '2' => 'order_number'],
            'paramvalues' => ['1' => 'there'],
        ];
        $cart = [
            'enabled' => true,
            'delay_minutes' => 60,
            'template_id' => $templates['spring_sale'],
            'parammatch' => ['customer_name'],
            'paramvalues' => ['there'],
        ];
        $settings = $api->shopSettings->update([
            'order_notifications' => ['Fulfilled' => $notice],
            'abandoned_cart' => $cart,
            'quiet_hours' => ['start' => '21:00', 'end' => '08:00', 'timezone' => 'Europe/Berlin'],
        ])['data'];
        check($settings['abandoned_cart']['enabled'], 'reminders are on');
        // an empty array would be a list
        $api->shopSettings->update(['order_notifications' => (object) [], 'abandoned_cart' => ['enabled' => false], 'quiet_hours' => null]);
        check(is_array($api->connections->list()['data']), 'connections are listed');
    },
    'account' => static function () use ($api, $base, $company, $ada, $run, $digits, $control): void {
        $changed = $api->company->updateSettings(['timezone' => 'Europe/Berlin', 'settings' => ['task_reminder_minutes' => 30]])['data'];
        check($changed['timezone'] === 'Europe/Berlin', 'the time zone is set');
        $kim = $api->users->create(['name' => 'Kim Lee', 'email' => "kim-{$run}@garden.example", 'role' => 'member'])['data'];
        $token = $api->tokens->create([
            'user_id' => $kim['id'],
            'name' => 'till sync',
            'scopes' => ['contacts:read', 'messages:send'],
            'networks' => ['127.0.0.1', '203.0.113.0/24'],
            'life_days' => 90,
        ])['data'];
        $hello = ['phone' => $ada, 'template_name' => 'hello_world', 'template_language' => 'en_US'];
        (new Switchboard($base, $token['secret']))->messages->sendTemplate($hello);
        check($api->tokens->rotate($token['id'], ['overlap_hours' => 0])['data']['secret'] !== $token['secret'], 'the secret is new');
        $ids = ['phone_number_id' => "87{$digits}", 'waba_id' => "88{$digits}", 'access_token' => "EAA-{$run}", 'app_secret' => "secret-{$run}"];
        $phone = "+1555030{$digits}";
        $control('PUT', 'provider/numbers', $ids + ['company_id' => $company['id'], 'display_phone_number' => $phone, 'webhook_url' => '']);
        $number = $api->numbers->add(['phone' => $phone] + $ids)['data'];
        check($api->numbers->connect($number['id'], [])['data']['is_connected'], 'the number is connected');
        check($api->numbers->check($number['id'])['data']['findings'] !== [], 'the check has findings');
        $receiver = $api->machineTokens->create(['kind' => 'webhook_token', 'receiver' => 'webshop', 'make_shared_secret' => true])['data'];
        check(isset($receiver['url'], $receiver['shared_secret']), 'the receiver has an address and a secret');
        check($api->machineTokens->rotate($receiver['id'], [])['data']['url'] !== $receiver['url'], 'the address is new');
        $api->machineTokens->revoke($receiver['id']);
        check(Switchboard::paginate($api->audit->listEntries(...))->current()['action'] !== '', 'changes are listed');
    },
    'money' => static function () use ($api): void {
        check($api->rates->list()['data'] !== [], 'there are rate cards');
        $dryRun = ['currency' => 'EUR', 'effective_from' => '2026-11-01', 'adjustment' => ['percent' => '5'], 'dry_run' => true];
        check($api->rates->set($dryRun)['data']['stored'] === false, 'a dry run stores nothing');
        $totals = static fn (string $by): int => $api->spend->get(by: $by)['data']['totals']['messages'];
        check($totals('day') === $totals('country'), 'each breakdown has the same messages');
        check(str_starts_with($api->spend->export(), 'date,number_id,'), 'the export has its columns');
    },
];

foreach (array_keys($guides) as $nth => $name) {
    $guides[$name]();
    echo $nth + 1, " {$name}\n";
}
