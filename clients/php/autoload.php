<?php

declare(strict_types=1);

// For programs without Composer.
spl_autoload_register(static function (string $class): void {
    if (!str_starts_with($class, 'Switchboard\\')) {
        return;
    }
    $name = substr($class, strlen('Switchboard\\'));
    $file = __DIR__ . '/src/' . (str_starts_with($name, 'Operations\\') ? 'Operations.generated' : $name) . '.php';
    if (is_file($file)) {
        require_once $file;
    }
});
