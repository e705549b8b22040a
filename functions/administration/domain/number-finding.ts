import type { Finding } from '../../messaging/contract/finding.ts';

export const toNumberCheck = (findings: readonly Finding[]) => ({
  is_ready: findings.every(({ level }) => level !== 'wrong'),
  findings: findings.map(toNumberFinding),
});

export const toNumberConnection = ({ isConnected, webhookTokenId, formerTokenIds, templateCount, findings }: Connection) => ({
  is_connected: isConnected && findings.every(({ level }) => level !== 'wrong'),
  webhook_token_id: webhookTokenId ?? null,
  former_webhook_token_ids: formerTokenIds,
  templates: templateCount ?? null,
  findings: findings.map(toNumberFinding),
});

interface Connection {
  isConnected: boolean;
  webhookTokenId: number | undefined;
  formerTokenIds: number[];
  templateCount: number | undefined;
  findings: readonly Finding[];
}

/** A finding as the API shows it: its remedy names the operation, where the command line names the command. */
export const toNumberFinding = ({ level, message, remedy }: Finding) => ({
  level,
  message,
  remedy: remedy === undefined ? null : commands.reduce((text, [command, operation]) => text.replaceAll(command, operation), remedy),
});

/** The longer ones first. */
const commands: readonly (readonly [command: string, operation: string])[] = [
  ['numbers connect with --pin 482916, for example', 'POST /api/v1/numbers/{id}/connect with a pin such as 482916'],
  ['numbers connect with --pin', 'POST /api/v1/numbers/{id}/connect with a pin'],
  ['numbers connect', 'POST /api/v1/numbers/{id}/connect'],
  ['numbers rotate-secret --app-secret-file', 'POST /api/v1/numbers/{id}/rotate with the app_secret'],
  ['numbers rotate-secret', 'POST /api/v1/numbers/{id}/rotate'],
  ['numbers update with the right --phone', 'PUT /api/v1/numbers/{id} with the right phone'],
  ['numbers update with --provider-version', 'PUT /api/v1/numbers/{id} with the version'],
  ['templates sync', 'POST /api/v1/templates/sync'],
];
