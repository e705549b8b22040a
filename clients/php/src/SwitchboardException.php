<?php

declare(strict_types=1);

namespace Switchboard;

/** A refusal in the product's own words; `errorCode` says which, `remedy` what to do, `docUrl` where that is explained. */
class SwitchboardException extends \RuntimeException
{
    public readonly string $errorCode;
    /** @var array<string, list<string>> The reasons by field, of a 422. */
    public readonly array $fields;
    /** @var array<string, mixed> */
    public readonly array $details;
    public readonly ?string $remedy;
    public readonly ?string $docUrl;

    public function __construct(
        public readonly int $status,
        mixed $body,
        /** Quote it in a support request. */
        public readonly ?string $requestId = null,
        /** In seconds. */
        public readonly int $retryAfter = 0,
    ) {
        $problem = is_array($body) ? $body : [];
        $details = $problem['details'] ?? null;
        $this->errorCode = (string) ($problem['code'] ?? 'unknown');
        $this->details = is_array($details) ? $details : [];
        // the operations of verification name the reasons in `details`
        $hasReasons = isset($problem['error']) && array_filter($this->details, 'is_array') === $this->details;
        $reasons = $hasReasons ? $this->details : ($problem['errors'] ?? null);
        $this->fields = is_array($reasons) ? $reasons : [];
        $this->remedy = $problem['remedy'] ?? null;
        $this->docUrl = $problem['doc_url'] ?? null;
        $message = (string) ($problem['message'] ?? $problem['error'] ?? "Answered {$status}");
        foreach ($this->fields as $name => $each) {
            $message .= " {$name}: " . implode(' ', $each);
        }
        parent::__construct($message . " ({$this->errorCode}" . ($requestId === null ? '' : ", {$requestId}") . ')');
    }
}
