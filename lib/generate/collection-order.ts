import { clientNameOf } from './client-names.ts';

/**
 * The order of the requests in a collection: what others need comes before them, and what ends something stands in a folder of its own at the
 * end. A run of the whole collection on a fresh demo then answers almost every request with 2xx (test/integrations/collections.test.ts).
 */

/** Chapters of the document, those first that others need; chapters that are not named come before the account. */
const chapters = ['contacts', 'messaging', 'conversations', 'templates', 'campaigns', 'crm', 'shop', 'webhooks', 'events', 'verification'];
const lastChapters = ['account', 'sessions', 'reference'];

export const sortedChapters = (names: readonly string[]): string[] => {
  const placeOfChapter = (name: string): number =>
    chapters.includes(name)
      ? chapters.indexOf(name)
      : lastChapters.includes(name)
        ? chapters.length + 1 + lastChapters.indexOf(name)
        : chapters.length;
  return names.toSorted((a, b) => placeOfChapter(a) - placeOfChapter(b));
};

/** It ends something, or needs what was ended; it takes away what other requests live on. */
export const isInLastFolder = (operationId: string): boolean => ends.test(operationId) || endingOperations.includes(operationId);

const ends = /^(delete|revoke(?!Trust)|deactivate|erase)/;
/** In this order, after all others of the folder: each of them ends what an earlier one still reads. */
export const endingOperations = [
  'deleteLead',
  'restoreLead',
  'deleteCampaign',
  'deleteContact',
  'eraseContact',
  'getErasure',
  'addNumber',
  'rotateNumberSecrets',
  'rotateToken',
  'revokeToken',
  'signOutEverywhere',
];

/** Made before others of their chapter, which name them. */
const makers = [
  'createGroup',
  'createTag',
  'createField',
  'createSegment',
  'createContact',
  'bulkSyncContacts',
  'sendText',
  'createPipeline',
  'createLead',
  'createCategory',
  'createProduct',
  'receiveCustom',
  'listVerificationProfiles',
  'createVerificationKey',
  'createVerificationTemplate',
  'createVerificationWhitelist',
];
const makes = /^(create|add|set|send|sync|bulk|request)/;
const changes = /^(update|replace|move|complete|rotate|connect|retry|reschedule|confirm|verify|clone|merge|resend)/;

/** A number that sorts requests within a folder. */
export const placeInCollection = (operationId: string): number => {
  if (endingOperations.includes(operationId)) return 1_000 + endingOperations.indexOf(operationId);
  if (makers.includes(operationId)) return makers.indexOf(operationId);
  if (operationId.startsWith('cancel')) return 400;
  if (changes.test(operationId)) return 300;
  return makes.test(operationId) ? 100 : 200;
};

const titles: Readonly<Record<string, string>> = {
  webhook: 'Receiver of the provider',
  erp: 'ERP',
  connect: 'Installation of a store',
  docs: 'Pages',
  sync: 'Changes of the inbox',
};

/** The folder of an operation, by the resource that the client has it under. */
export const resourceTitle = (operationId: string, path: string): string => {
  if (path.startsWith('/shop/webhooks/')) return 'Receivers of shops';
  const [resource] = clientNameOf(operationId, path);
  const words = resource.replaceAll(/([A-Z])/g, (letter) => ` ${letter.toLowerCase()}`);
  return titles[resource] ?? words.charAt(0).toUpperCase() + words.slice(1);
};
