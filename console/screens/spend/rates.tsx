import { type JSX, useState } from 'react';
import { useQuery } from '@tanstack/react-query';
import { useInspectable } from '../../app/inspected.ts';
import { Button, Empty } from '../../components/basics.tsx';
import { countryName } from '../../components/country.ts';
import { useDialog } from '../../components/dialog.tsx';
import { LongTextField, SelectField, TextField } from '../../components/fields.tsx';
import { useForm } from '../../components/form.tsx';
import { FormDialog } from '../../components/form-dialog.tsx';
import { moneyText } from '../../components/money.ts';
import { Facts, Page, Section } from '../../components/page.tsx';
import { ScrolledTable } from '../../components/plain-table.tsx';
import { ProblemCard } from '../../components/problem.tsx';
import { Shown } from '../../components/shown.tsx';
import { CsvButton } from '../../components/table.tsx';
import { formatCount, formatTime } from '../../components/time.tsx';
import { toast } from '../../components/toasts.tsx';
import { api, type Answer, type Input } from '../../data/client.ts';
import { read, refresh } from '../../data/queries.ts';
import { useMay } from '../../data/session.ts';
import { spendText } from '../../text/spend.ts';
import { useLocale, useText } from '../../text/text.ts';
import { useCategoryNames } from './spend-words.ts';

type Card = Answer<'listRates'>['data'][number];
type Change = Answer<'setRates'>['data'];
type Changed = Change['changes'][number];
type CardBody = Input<'setRates'>['body'];

/** The prices in force and to come, the look-up of one, and a card that is compared before it holds. */
const Rates = (): JSX.Element => {
  const text = useText(spendText);
  const mayImport = useMay('admin');
  const { dialog, open, close } = useDialog();
  const query = useQuery(read('listRates'));
  useInspectable({ title: text.rates, object: query.data?.data, call: { operation: 'listRates', input: {} } });
  return (
    <Page
      title={text.rates}
      actions={
        mayImport && (
          <Button icon="plus" look="primary" onClick={() => open(<Import onClose={close} />)}>
            {text.importCard}
          </Button>
        )
      }
    >
      <Shown query={query}>
        {({ data }) =>
          data.length === 0 ? (
            <Empty icon="list" title={text.noCards}>
              <p>{text.noCardsHint}</p>
            </Empty>
          ) : (
            <Cards cards={data} />
          )
        }
      </Shown>
      <Section title={text.lookUp}>
        <LookUp />
      </Section>
      {dialog}
    </Page>
  );
};
export default Rates;

const Cards = ({ cards }: { cards: readonly Card[] }): JSX.Element => {
  const text = useText(spendText);
  const { tag } = useLocale();
  const dateOf = (date: string): string => formatTime(tag, `${date}T12:00:00Z`, { dateStyle: 'medium' });
  const nameOf = ({ currency, state }: Card): string => `${currency} (${state === 'in_force' ? text.inForce : text.coming})`;
  const ownerOf = ({ owner }: Card): string => (owner === 'company' ? text.ofCompany : text.ofOperator);
  return (
    <section className="stack">
      <div className="row">
        <h2 className="grow">{text.cards}</h2>
        <CsvButton
          name="rate-cards"
          of={text.cards}
          columns={[
            { name: text.card, value: nameOf },
            { name: text.owner, value: ownerOf },
            { name: text.from, value: (card: Card) => card.effective_from },
            { name: text.markets, value: (card: Card) => card.markets_count },
            { name: text.source, value: ({ source }: Card) => source },
          ]}
          rows={cards}
        />
      </div>
      <ScrolledTable
        name={text.cards}
        columns={[text.card, text.owner, text.from, text.markets, text.source]}
        isNumber={(column) => column === 3}
        rows={cards.map((card) => ({
          key: `${card.owner} ${card.id}`,
          cells: [nameOf(card), ownerOf(card), dateOf(card.effective_from), formatCount(tag, card.markets_count), card.source ?? '–'],
        }))}
      />
    </section>
  );
};

const categories = ['marketing', 'utility', 'authentication', 'authentication_international', 'service'] as const;

const LookUp = (): JSX.Element => {
  const text = useText(spendText);
  const { tag } = useLocale();
  const nameOf = useCategoryNames();
  const [phone, setPhone] = useState('');
  const [category, setCategory] = useState<string>('marketing');
  const [lookedUp, setLookedUp] = useState<Input<'getRate'>['query']>();
  const find = useQuery({
    ...read('getRate', { query: lookedUp ?? { category: 'marketing' } }),
    enabled: lookedUp !== undefined,
    retry: false,
  });
  const found = find.data?.data;
  const chosen = categories.find((each) => each === category) ?? 'marketing';
  return (
    <form
      className="form"
      onSubmit={(event) => {
        event.preventDefault();
        if (phone.trim() === '') return;
        setLookedUp({ phone, category: chosen });
      }}
    >
      <div className="pair">
        <TextField label={text.phone} type="tel" value={phone} onText={setPhone} />
        <SelectField
          label={text.category}
          value={chosen}
          choices={categories.map((each) => [each, nameOf(each)] as const)}
          onText={setCategory}
        />
        <Button type="submit" isSoftDisabled={phone.trim() === ''}>
          {text.find}
        </Button>
      </div>
      {find.error ? <ProblemCard error={find.error} /> : null}
      {found && (
        <Facts
          facts={[
            [text.country, countryName(tag, found.country) ?? '–'],
            [text.price, found.price === null ? text.noAmount : moneyText(tag, found.price, { isPrice: true })],
            found.reason === null ? undefined : [text.reason, found.reason],
            found.card === null ? undefined : [text.card, found.card],
          ]}
        />
      )}
    </form>
  );
};

const parsed = (json: string): CardBody | undefined => {
  try {
    return JSON.parse(json) as CardBody;
  } catch {
    // what is written so far is no JSON
    return undefined;
  }
};

/** First what it changes, by a dry run; then, by a second press, it holds. */
const Import = ({ onClose }: { onClose: () => void }): JSX.Element => {
  const text = useText(spendText);
  const [compared, setCompared] = useState<{ json: string; change: Change }>();
  const { values, field, submitting } = useForm(
    { json: compared?.json ?? '' },
    async ({ json }, call) => {
      const body = parsed(json);
      if (!body) throw new Error(text.notJson);
      const isDryRun = compared?.json !== json;
      const { data } = await api.setRates({ body: { ...body, dry_run: isDryRun } }, call);
      return { json, isDryRun, change: data };
    },
    ({ json, isDryRun, change }) => {
      if (isDryRun) return setCompared({ json, change });
      toast(text.imported);
      void refresh('listRates', 'getSpend', 'getRate');
      return onClose();
    },
  );
  const isCompared = compared !== undefined && compared.json === values.json;
  return (
    <FormDialog
      {...submitting}
      title={text.importCard}
      action={isCompared ? text.hold : text.compare}
      isDisabled={parsed(values.json) === undefined}
      onClose={onClose}
    >
      <LongTextField label={text.json} hint={text.importHint} rows={10} {...field('json')} />
      {isCompared && <Changes change={compared.change} />}
    </FormDialog>
  );
};

const Changes = ({ change: { changes } }: { change: Change }): JSX.Element => {
  const text = useText(spendText);
  const nameOf = useCategoryNames();
  if (changes.length === 0) return <p>{text.noChange}</p>;
  const columns = [
    { name: text.market, value: ({ market }: Changed) => market },
    { name: text.category, value: ({ category }: Changed) => nameOf(category) },
    { name: text.before, value: ({ before }: Changed) => before ?? text.noAmount },
    { name: text.after, value: ({ after }: Changed) => after ?? text.noAmount },
  ];
  return (
    <div className="stack">
      <div className="row">
        <span className="grow" />
        <CsvButton name="rate-card-changes" columns={columns} rows={changes} />
      </div>
      <ScrolledTable
        name={text.importCard}
        columns={columns.map(({ name }) => name)}
        isNumber={(column) => column > 1}
        rows={changes.map((each) => ({ key: `${each.market} ${each.category}`, cells: columns.map(({ value }) => value(each)) }))}
      />
    </div>
  );
};
