/** How a server requests a code and checks it, in a language: with the address of this deployment and the public key filled in. */
export const snippetLanguages = ['curl', 'TypeScript', 'Python', 'PHP'] as const;
export type SnippetLanguage = (typeof snippetLanguages)[number];

export const snippetOf = (language: SnippetLanguage, baseUrl: string, publicKey: string): string => {
  const url = `${baseUrl}/api/v1/verification`;
  const snippets: Readonly<Record<SnippetLanguage, string>> = {
    curl: `curl -s ${url}/request \\
  -H 'X-Public-Key: ${publicKey}' -H "X-Secret-Key: $SECRET_KEY" \\
  -H 'Content-Type: application/json' -H "Idempotency-Key: $LOGIN_ID" \\
  -d '{"identifier":"+4915123456789","purpose":"login","ip_address":"203.0.113.7"}'

# the answer has request_id: keep it in the session of the user
curl -s ${url}/verify \\
  -H 'X-Public-Key: ${publicKey}' -H "X-Secret-Key: $SECRET_KEY" \\
  -H 'Content-Type: application/json' \\
  -d '{"request_id":"'$REQUEST_ID'","code":"'$CODE'","ip_address":"203.0.113.7"}'`,
    TypeScript: `import { switchboard } from 'switchboard-client';

const api = switchboard({
  baseUrl: '${baseUrl}',
  publicKey: '${publicKey}',
  secretKey: process.env.SECRET_KEY,
});

const asked = await api.requestVerification({
  body: { identifier: '+4915123456789', purpose: 'login', ip_address: '203.0.113.7' },
});
// keep asked.request_id in the session of the user
const answer = await api.verifyCode({ body: { request_id, code, ip_address: '203.0.113.7' } });
if (answer.verified) signIn(answer.identifier);`,
    Python: `import json, os, urllib.request

def call(path, body):
    request = urllib.request.Request(
        "${url}" + path,
        data=json.dumps(body).encode(),
        headers={
            "Content-Type": "application/json",
            "X-Public-Key": "${publicKey}",
            "X-Secret-Key": os.environ["SECRET_KEY"],
        },
    )
    with urllib.request.urlopen(request) as answer:
        return json.load(answer)

asked = call("/request", {"identifier": "+4915123456789", "purpose": "login", "ip_address": "203.0.113.7"})
# keep asked["request_id"] in the session of the user
answer = call("/verify", {"request_id": request_id, "code": code, "ip_address": "203.0.113.7"})
if answer["verified"]:
    sign_in(answer["identifier"])`,
    PHP: `<?php
function call(string $path, array $body): array {
    $curl = curl_init('${url}' . $path);
    curl_setopt_array($curl, [
        CURLOPT_RETURNTRANSFER => true,
        CURLOPT_POSTFIELDS => json_encode($body),
        CURLOPT_HTTPHEADER => [
            'Content-Type: application/json',
            'X-Public-Key: ${publicKey}',
            'X-Secret-Key: ' . getenv('SECRET_KEY'),
        ],
    ]);
    return json_decode(curl_exec($curl), true);
}

$asked = call('/request', ['identifier' => '+4915123456789', 'purpose' => 'login', 'ip_address' => '203.0.113.7']);
// keep $asked['request_id'] in the session of the user
$answer = call('/verify', ['request_id' => $requestId, 'code' => $code, 'ip_address' => '203.0.113.7']);
if ($answer['verified']) signIn($answer['identifier']);`,
  };
  return snippets[language];
};
