<?php

declare(strict_types=1);

namespace Switchboard;

/** A file in the form of a call: `files: ['image' => new File('photo.png', $data, 'image/png')]`. */
final class File
{
    public function __construct(
        public readonly string $name,
        public readonly string $content,
        public readonly string $contentType,
    ) {
    }
}
