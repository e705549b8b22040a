<?php

declare(strict_types=1);

namespace Switchboard;

/** No answer came. Whether the call was carried out is not known; a write is repeated safely under its own Idempotency-Key. */
final class ConnectionException extends SwitchboardException
{
    public function __construct(string $reason)
    {
        parent::__construct(0, ['message' => "No answer came: {$reason}", 'code' => 'connection_failed']);
    }
}
