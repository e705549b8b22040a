"""Reads answers (a JSON object a line: name, status, body) by the schemas of openapi.json, with Python's jsonschema: what it refuses, a line each."""
import json
import sys

from jsonschema import Draft202012Validator, FormatChecker, RefResolver

document_file, answers_file = sys.argv[1:]
with open(document_file, encoding="utf-8") as file:
    document = json.load(file)
resolver = RefResolver.from_schema(document)
operations = {
    operation["operationId"]: operation for methods in document["paths"].values() for operation in methods.values()
}
validators: dict[tuple[str, str], Draft202012Validator] = {}


def validator_of(name: str, status: str) -> Draft202012Validator:
    found = validators.get((name, status))
    if found is None:
        response = operations[name]["responses"][status]
        if "$ref" in response:
            _, response = resolver.resolve(response["$ref"])
        schema = response["content"]["application/json"]["schema"]
        Draft202012Validator.check_schema(schema)
        found = Draft202012Validator(schema, resolver=resolver, format_checker=FormatChecker())
        validators[name, status] = found
    return found


count = 0
with open(answers_file, encoding="utf-8") as file:
    for line in file:
        answer = json.loads(line)
        name, status = answer["name"], str(answer["status"])
        count += 1
        for error in validator_of(name, status).iter_errors(answer["body"]):
            print(f"{name} {status} {list(error.absolute_path)}: {error.message[:200]}")
print(f"{count} answers of {len({name for name, _ in validators})} operations", file=sys.stderr)
