import { type JSX, useState } from 'react';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { Template } from '../../../client/client.ts';
import { Badge, Empty, Loading } from '../../components/basics.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { DialogSearch } from '../../components/dialog-search.tsx';
import { moneyText } from '../../components/money.ts';
import { ProblemCard } from '../../components/problem.tsx';
import { formatPhone } from '../../data/phone.ts';
import { read } from '../../data/queries.ts';
import { inboxText } from '../../text/inbox.ts';
import { openedText } from '../../text/opened.ts';
import { shellText } from '../../text/shell.ts';
import { useLocale, useText } from '../../text/text.ts';
import { FillTemplate, type TemplatePickerProps } from './fill-template.tsx';
import { partsOf } from '../../components/template-parts.ts';

/** Chooses an approved template, fills it with a preview beside it, and sends it once. */
const TemplatePicker = (props: TemplatePickerProps): JSX.Element => {
  const { number, recipient, isWindowOpen = false, onClose } = props;
  const text = useText(inboxText);
  const opened = useText(openedText);
  const shell = useText(shellText);
  const [search, setSearch] = useState('');
  const [chosen, setChosen] = useState<Template>();
  const { data, error } = useQuery(read('listTemplates', { query: { status: 'APPROVED', limit: 100 } }));
  // codes are sent by verification alone
  const templates = (data?.data ?? []).filter(
    ({ name, category, waba_id: account }) =>
      category !== 'AUTHENTICATION' &&
      (account === null || number === undefined || account === number.waba_id) &&
      name.toLowerCase().includes(search.trim().toLowerCase()),
  );
  if (chosen) return <FillTemplate {...props} template={chosen} onBack={() => setChosen(undefined)} />;
  return (
    <Dialog title={text.chooseTemplate} onClose={onClose} wide>
      <DialogSearch
        label={opened.searchTemplates}
        value={search}
        onText={setSearch}
        onEnter={() => templates[0] && setChosen(templates[0])}
      />
      {error && <ProblemCard error={error} />}
      {!data && !error && <Loading rows={4} />}
      {data && templates.length === 0 && (
        <Empty icon="template" title={opened.noTemplates}>
          <p>{opened.noTemplatesHint}</p>
          <Link className="button" to="/templates">
            {shell.templates}
          </Link>
        </Empty>
      )}
      <ul className="template-list">
        {templates.map((template) => (
          <li key={template.id}>
            <button type="button" onClick={() => setChosen(template)}>
              <span className="row">
                <strong className="cut grow">{template.name}</strong>
                <SendPrice phone={recipient.phone} template={template} isFree={isWindowOpen && template.category === 'UTILITY'} />
                <Badge>{template.language}</Badge>
                <Badge look={template.category === 'MARKETING' ? 'info' : ''}>{template.category.toLowerCase()}</Badge>
              </span>
              <span className="muted cut" dir="auto" style={{ display: 'block' }}>
                {partsOf(template).body}
              </span>
            </button>
          </li>
        ))}
      </ul>
    </Dialog>
  );
};
export default TemplatePicker;

interface SendPriceProps {
  phone: string;
  template: Template;
  isFree: boolean;
}

/** What one message costs at list price, or at most where its template has a max price; nothing where that is not known. */
const SendPrice = ({ phone, template: { category, max_price: most }, isFree }: SendPriceProps): JSX.Element | null => {
  const opened = useText(openedText);
  const { tag } = useLocale();
  const priced = category === 'MARKETING' ? 'marketing' : 'utility';
  const { data } = useQuery({
    ...read('getRate', { query: { phone: formatPhone(phone), category: priced } }),
    enabled: phone !== '' && !isFree && most === null,
    retry: false,
  });
  if (isFree) return <span className="muted">{opened.free}</span>;
  if (most) return <span className="muted numbers">{opened.atMost(moneyText(tag, most, { isPrice: true }))}</span>;
  const price = data?.data.price;
  return price ? <span className="muted numbers">{moneyText(tag, price, { isPrice: true })}</span> : null;
};
