import { invalid, isProblem, type Problem } from '../../../shared/contract/problems.ts';
import { readFile } from '../../media/service/files.ts';
import { loadUpload } from '../../media/service/uploads.ts';
import type { TemplateComponent } from '../contract/stored.ts';
import { type TemplateDraft, uploadOf } from '../domain/draft.ts';
import { maxSampleBytes, sampleTypes } from '../domain/sample.ts';
import { type TemplateAccount, uploadSample } from '../gateway/templates.ts';
import { providerRejected, providerUnavailable } from './provider-problems.ts';

type SampleProblem = Problem<'validation_failed' | 'provider_rejected' | 'temporarily_unavailable'>;

/** The draft with a handle of the provider for every file that the caller uploaded here as the sample of a media header. */
export const withSampleHandles = async (
  companyId: number,
  account: TemplateAccount,
  draft: TemplateDraft,
): Promise<TemplateDraft | SampleProblem> => {
  const components: TemplateComponent[] = [];
  for (const [index, component] of draft.components.entries()) {
    const given = await withHandles(companyId, account, component, `components.${index}`);
    if (isProblem(given)) return given;
    components.push(given);
  }
  return { ...draft, components };
};

async function withHandles(
  companyId: number,
  account: TemplateAccount,
  component: TemplateComponent,
  field: string,
): Promise<TemplateComponent | SampleProblem> {
  const uploadId = uploadOf(component);
  if (uploadId !== undefined) return withHandle({ companyId, account, component, uploadId, field: `${field}.media_id` });
  if (!component.cards) return component;
  const cards: NonNullable<TemplateComponent['cards']> = [];
  for (const [index, card] of component.cards.entries()) {
    const parts: TemplateComponent[] = [];
    for (const [nth, part] of (card.components ?? []).entries()) {
      const given = await withHandles(companyId, account, part, `${field}.cards.${index}.components.${nth}`);
      if (isProblem(given)) return given;
      parts.push(given);
    }
    cards.push({ ...card, components: parts });
  }
  return { ...component, cards };
}

interface Sample {
  companyId: number;
  account: TemplateAccount;
  component: TemplateComponent;
  uploadId: string;
  field: string;
}

async function withHandle({ companyId, account, component, uploadId, field }: Sample): Promise<TemplateComponent | SampleProblem> {
  const loaded = await loadUpload(companyId, uploadId, field);
  if (isProblem(loaded)) return loaded;
  const { mime = '', size = 0, filename = 'sample' } = loaded.media;
  const types = sampleTypes[component.format ?? ''] ?? [];
  if (!types.includes(mime)) return invalid(field, `Must be a file of the type ${types.join(' or ')}.`);
  if (size > maxSampleBytes) return invalid(field, 'A sample has at most 16 MB.');
  const bytes = await readFile(loaded.media);
  if (!bytes) return invalid(field, 'The file is gone.');
  const handle = await uploadSample(account, { bytes, mime, filename });
  if (handle.outcome === 'refused') return providerRejected(handle.refusal);
  if (handle.outcome !== 'done') return providerUnavailable(handle);
  return { ...component, example: { header_handle: [handle.value] } };
}
