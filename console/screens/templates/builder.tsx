import { type JSX, useEffect, useMemo, useRef, useState } from 'react';
import { useNavigate } from '@tanstack/react-router';
import type { Template } from '../../../client/client.ts';
import { Button } from '../../components/basics.tsx';
import { SelectField, TextField } from '../../components/fields.tsx';
import { Icon } from '../../components/icons.tsx';
import { LeaveQuestion } from '../../components/leaving.tsx';
import { Page, Section } from '../../components/page.tsx';
import { partsOf } from '../../components/template-parts.ts';
import { TemplatePreview } from '../../components/template-preview.tsx';
import { usePicture } from '../../components/use-picture.ts';
import { toast } from '../../components/toasts.tsx';
import { SwitchboardProblem } from '../../data/client.ts';
import { useWrite } from '../../data/forms.ts';
import { refresh } from '../../data/queries.ts';
import { templatesText } from '../../text/templates.ts';
import { useLocale, useText } from '../../text/text.ts';
import { BodyField, Examples } from './body-field.tsx';
import { type Building, ChoiceCards, useOriginal, useProblems } from './builder-parts.tsx';
import { ButtonFields } from './button-fields.tsx';
import { HeaderField } from './header-field.tsx';
import { languageChoices, languageName, languages } from './language-names.ts';
import { MaxPriceField } from './max-price-field.tsx';
import { asName, componentsFor, isOfPriceAlone, type TemplateDraft } from './template-draft.ts';
import { TemplateRefusal } from './template-refusal.tsx';
import { reasonsOf } from './template-rules.ts';
import { useCost } from './use-cost.ts';
import { useDraft } from './use-draft.ts';
import './templates.css';

interface BuilderProps {
  title: string;
  /** What it begins with. */
  read: TemplateDraft;
  /** Under which the browser stores what was typed. */
  draftName: string;
  /** Another template of this name in the language that is translated. */
  source?: TemplateDraft | undefined;
  /** The template that is changed: its name and language stay, and its category where the provider has approved it. */
  changing?: Template | undefined;
  /** Languages that the name has already. */
  taken?: readonly string[];
  send: (draft: TemplateDraft, call: { idempotencyKey: string }) => Promise<unknown>;
}

/** A template as it is written, with the API's own rules beside each field and what a customer sees of it. */
export const Builder = ({ title, read, draftName, source, changing, taken = [], send }: BuilderProps): JSX.Element => {
  const text = useText(templatesText);
  const navigate = useNavigate();
  const { draft, isChanged, change } = useDraft(draftName, read);
  const [tries, setTries] = useState(0);
  const [picture, setPicture] = usePicture();
  const isNamed = changing && changing.parameter_format === 'named';
  const asText = JSON.stringify(draft);
  const hasPrice = changing?.max_price != null;
  const reasons = useMemo(() => reasonsOf(JSON.parse(asText) as TemplateDraft, isNamed, hasPrice), [asText, isNamed, hasPrice]);
  const count = Object.keys(reasons).length;
  const write = useWrite(send, async () => {
    toast(text.submitted);
    await navigate({ to: '/templates', ignoreBlocker: true });
    await refresh('listTemplates', 'getTemplate');
  });
  const refusal =
    write.error instanceof SwitchboardProblem && write.variables && JSON.stringify(write.variables) === asText ? write.error : undefined;
  const problems = useProblems(draft, reasons, refusal?.errors ?? {}, tries > 0);
  const building: Building = { draft, change, source, ...problems };
  const form = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (tries > 0) form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  }, [tries, refusal]);
  const submit = (): void => {
    setTries(tries + 1);
    if (count === 0) write.run(draft);
  };
  // a price is not among the changes that the provider counts
  const isResting = changing?.edits_left?.today === 0 && !isOfPriceAlone(read, draft);
  return (
    <Page
      title={title}
      actions={
        <Button
          look="primary"
          icon="send"
          isSoftDisabled={write.isPending || isResting || (changing !== undefined && !isChanged)}
          onClick={submit}
        >
          {text.submit}
        </Button>
      }
    >
      <div ref={form} className="beside-preview template-builder">
        <div>
          {isResting && <p className="notice warn">{text.changeLater}</p>}
          {write.error && <TemplateRefusal error={write.error} />}
          <Basics building={building} changing={changing} taken={taken} isTranslation={source !== undefined} />
          <MaxPriceField building={building} changing={changing} />
          <Section title={text.contents} hint={text.contentsHint}>
            <HeaderField building={building} onPicture={setPicture} />
            <BodyField building={building} />
            <Examples building={building} part="body" />
            <FooterField building={building} />
          </Section>
          <Section title={text.buttons} hint={text.buttonsHint}>
            <ButtonFields building={building} />
          </Section>
        </div>
        <aside className="builder-phone">
          <Phone draft={draft} picture={picture} name={source && draft.language} />
          {source && <Phone draft={source} name={source.language} />}
          <p className={count === 0 ? 'row' : 'row muted'} aria-live="polite">
            <Icon name={count === 0 ? 'check' : 'list'} />
            {count === 0 ? text.followsRules : text.missing(count)}
          </p>
        </aside>
      </div>
      <LeaveQuestion isChanged={isChanged && !write.isPending} />
    </Page>
  );
};

const Phone = ({ draft, picture, name }: { draft: TemplateDraft; picture?: string | undefined; name: string | undefined }): JSX.Element => {
  const { tag } = useLocale();
  // as long as nothing is written, a bubble that shows where it will be
  const { body, ...parts } = partsOf({ components: componentsFor(draft) });
  return (
    <div>
      {name !== undefined && <h2>{languageName(tag, name)}</h2>}
      <TemplatePreview parts={{ ...parts, body: body || '…' }} values={draft.examples} picture={picture} />
    </div>
  );
};

interface BasicsProps {
  building: Building;
  changing: Template | undefined;
  taken: readonly string[];
  isTranslation: boolean;
}

/** What it is called, its language, and what it is for. */
const Basics = ({ building: { draft, change, problemOf }, changing, taken, isTranslation }: BasicsProps): JSX.Element => {
  const text = useText(templatesText);
  const { tag } = useLocale();
  const costs = [useCost('UTILITY'), useCost('MARKETING')];
  const isFixed = changing !== undefined || isTranslation;
  const codes = new Set([draft.language, ...languages.filter((each) => !taken.includes(each))]);
  const isCategoryFixed = changing?.status === 'APPROVED' || changing?.max_price != null;
  return (
    <Section
      title={text.basics}
      hint={changing?.edits_left ? text.editsLeftNow(changing.edits_left.today, changing.edits_left.in_30_days) : text.basicsHint}
    >
      <TextField
        label={text.name}
        hint={isFixed ? text.nameStays : text.nameHint}
        spellCheck={false}
        dir="ltr"
        value={draft.name}
        readOnly={isFixed}
        problem={problemOf('name', draft.name)}
        onText={(name) => change({ name: asName(name) })}
      />
      <SelectField
        label={text.language}
        value={draft.language}
        disabled={changing !== undefined}
        problem={problemOf('language', draft.language)}
        choices={languageChoices(tag, codes)}
        onText={(language) => change({ language })}
      />
      <ChoiceCards
        label={text.category}
        name="category"
        value={draft.category}
        choices={[
          {
            value: 'UTILITY',
            label: text.utility,
            hint: [text.utilityHint, costs[0]].filter(Boolean).join(' '),
            isDisabled: isCategoryFixed,
          },
          {
            value: 'MARKETING',
            label: text.marketing,
            hint: [text.marketingHint, costs[1]].filter(Boolean).join(' '),
            isDisabled: isCategoryFixed,
          },
        ]}
        onChoose={(category) => change({ category })}
      />
      <p className="muted">{changing?.status === 'APPROVED' ? text.categoryStays : text.categoryHint}</p>
    </Section>
  );
};

const FooterField = ({ building: { draft, change, problemAt, source } }: { building: Building }): JSX.Element => {
  const text = useText(templatesText);
  const original = useOriginal(source?.footer);
  return (
    <TextField
      label={text.footer}
      hint={original ?? text.footerHint}
      dir="auto"
      value={draft.footer}
      problem={problemAt('FOOTER', 'text', draft.footer)}
      onText={(footer) => change({ footer })}
    />
  );
};
