import type { JSX } from 'react';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import type { Template } from '../../../client/client.ts';
import { useInspectable } from '../../app/inspected.ts';
import { Page } from '../../components/page.tsx';
import { Shown } from '../../components/shown.tsx';
import { api } from '../../data/client.ts';
import { read } from '../../data/queries.ts';
import { templatesText } from '../../text/templates.ts';
import { useText } from '../../text/text.ts';
import { BeyondBuilder } from './beyond-builder.tsx';
import { Builder } from './builder.tsx';
import { draftOf, editFor } from './template-draft.ts';
import { isChangeable } from './template-words.ts';

/** A template that is changed, as far as the provider lets one. */
const EditTemplate = (): JSX.Element => {
  const text = useText(templatesText);
  const { id } = useParams({ from: '/shell/templates/$id/edit' });
  const input = { params: { id } };
  const query = useQuery(read('getTemplate', input));
  const template = query.data?.data;
  useInspectable({ title: text.editTemplate, subject: `template:${id}`, object: template, call: { operation: 'getTemplate', input } });
  if (template) return <Editing key={id} template={template} />;
  return (
    <Page title={text.editTemplate}>
      <Shown query={query}>{() => null}</Shown>
    </Page>
  );
};
export default EditTemplate;

const Editing = ({ template }: { template: Template }): JSX.Element => {
  const text = useText(templatesText);
  const title = text.editOf(template.name);
  const draft = draftOf(template);
  if (!draft) return <BeyondBuilder title={title} />;
  if (!isChangeable(template)) return <BeyondBuilder title={title} why={text.notEditable} />;
  return (
    <Builder
      title={title}
      read={draft}
      draftName={String(template.id)}
      changing={template}
      send={(edited, call) => api.updateTemplate({ params: { id: template.id }, body: editFor(draft, edited) }, call)}
    />
  );
};
