<?php

declare(strict_types=1);

// Every shape of the generated files is one for PHPStan's own parser (Debian's php-phpstan-phpdoc-parser), and what it names is declared.

use PHPStan\PhpDocParser\Ast\PhpDoc\InvalidTagValueNode;
use PHPStan\PhpDocParser\Ast\PhpDoc\TypeAliasTagValueNode;
use PHPStan\PhpDocParser\Lexer\Lexer;
use PHPStan\PhpDocParser\Parser\ConstExprParser;
use PHPStan\PhpDocParser\Parser\PhpDocParser;
use PHPStan\PhpDocParser\Parser\TokenIterator;
use PHPStan\PhpDocParser\Parser\TypeParser;

require 'PHPStan/PhpDocParser/autoload.php';

$constants = new ConstExprParser();
$parser = new PhpDocParser(new TypeParser($constants), $constants);
$lexer = new Lexer();
$declared = ['File', 'Types'];
$named = [];
$count = 0;
foreach (['Types', 'Operations'] as $file) {
    foreach (token_get_all(file_get_contents(__DIR__ . "/../src/{$file}.generated.php")) as $token) {
        if (!is_array($token) || $token[0] !== T_DOC_COMMENT) {
            continue;
        }
        preg_match_all('/^ *\* @[a-z-]+ (.*)$/m', $token[1], $lines);
        foreach ($lines[1] as $line) {
            // names of types begin with a capital; texts between quotes are values
            preg_match_all('/(?<![\w$])[A-Z]\w+/', preg_replace("/'[^']*'/", '', $line) ?? '', $found);
            array_push($named, ...$found[0]);
        }
        foreach ($parser->parse(new TokenIterator($lexer->tokenize($token[1])))->getTags() as $tag) {
            $count++;
            $value = $tag->value;
            if ($value instanceof InvalidTagValueNode) {
                throw new RuntimeException("{$file}: {$value->value}: {$value->exception->getMessage()}");
            }
            if ($value instanceof TypeAliasTagValueNode) {
                $declared[] = $value->alias;
            }
        }
    }
}
$missing = array_diff(array_unique($named), $declared);
if ($count < 900 || $missing !== []) {
    throw new RuntimeException("{$count} tags; not declared: " . implode(' ', $missing));
}
echo "{$count} tags\n";
