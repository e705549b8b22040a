<?php

declare(strict_types=1);

namespace Switchboard;

/** The call is not Switchboard's, or too old: answer it with 401. */
final class WebhookVerificationException extends \RuntimeException
{
}
