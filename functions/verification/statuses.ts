import type { StatusOwner } from '../../shared/contract/status-owner.ts';
import { codeReferencePrefix, parseCodeReference } from '../messaging/contract/reference.ts';
import { recordCodeStatus } from './service/code-delivery.ts';

/** Statuses of code messages, which have no message of their own: they end or keep the verification. */
export const statuses: readonly StatusOwner[] = [
  {
    prefix: codeReferencePrefix,
    receive: async ({ companyId, reference, status, pricing }) => {
      const code = parseCodeReference(reference);
      if (code?.companyId !== companyId) return 'apply';
      await recordCodeStatus(code, { status, pricing });
      return 'done';
    },
  },
];
