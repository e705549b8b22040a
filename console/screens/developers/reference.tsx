import type { JSX } from 'react';
import { useQuery } from '@tanstack/react-query';
import { Shown } from '../../components/shown.tsx';
import { Badge, Empty } from '../../components/basics.tsx';
import { FilterText } from '../../components/filter-text.tsx';
import { Icon } from '../../components/icons.tsx';
import { Page } from '../../components/page.tsx';
import { ScrolledTable } from '../../components/plain-table.tsx';
import { VirtualList } from '../../components/virtual-list.tsx';
import { useFilter } from '../../data/search.ts';
import { developersText } from '../../text/developers.ts';
import { useText } from '../../text/text.ts';
import { CodeBox } from '../../components/code-box.tsx';
import { codeOf, type Described, readReference } from './openapi.ts';
import { TryIt } from './try-it.tsx';

/** Every operation of the API, searchable: what it does, what it takes, and how it is called by curl and by TypeScript. */
const Reference = (): JSX.Element => {
  const text = useText(developersText);
  const query = useQuery({ queryKey: ['reference'], queryFn: ({ signal }) => readReference(signal), staleTime: Infinity });
  return (
    <Page
      title={text.reference}
      isTable
      actions={
        <a className="button" href="/docs" target="_blank" rel="noreferrer">
          <Icon name="link" />
          {text.referenceOpen}
        </a>
      }
    >
      <Shown query={query}>{(operations) => <Operations operations={operations} />}</Shown>
    </Page>
  );
};
export default Reference;

const Operations = ({ operations }: { operations: readonly Described[] }): JSX.Element => {
  const text = useText(developersText);
  const [search, setSearch] = useFilter('q');
  const [chosen, setChosen] = useFilter('operation');
  const words = (search ?? '').toLowerCase().split(/\s+/);
  const found = operations.filter(({ name, path, summary, area }) => {
    const all = `${name} ${path} ${summary} ${area}`.toLowerCase();
    return words.every((word) => all.includes(word));
  });
  const one = operations.find(({ name }) => name === chosen);
  return (
    <div className="reference">
      <div className="reference-list">
        <div className="search-line">
          <FilterText label={text.referenceSearch} placeholder="webhooks" value={search} onText={setSearch} isImmediate />
        </div>
        <VirtualList
          label={text.reference}
          items={found}
          keyOf={({ name }) => name}
          rowHeight={54}
          chosen={chosen}
          render={({ name, method, path, summary }) => (
            <button type="button" className="reference-entry" aria-current={name === chosen} onClick={() => setChosen(name)}>
              <span className="cut" style={{ maxWidth: '100%' }}>
                {summary}
              </span>
              <span className="row">
                <span className={`method ${method}`}>{method}</span>
                <code className="cut muted">{path.replace('/api/v1', '')}</code>
              </span>
            </button>
          )}
        />
      </div>
      {one ? (
        <Operation operation={one} />
      ) : (
        <Empty icon="file" title={text.chooseOperation}>
          <p>{text.chooseOperationHint}</p>
        </Empty>
      )}
    </div>
  );
};

const Operation = ({ operation }: { operation: Described }): JSX.Element => {
  const text = useText(developersText);
  const { name, method, path, summary, description, parameters, body } = operation;
  const { curl, typescript } = codeOf(operation);
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls has to be reached by keys
    <section className="reference-one" aria-label={summary} tabIndex={0} lang="en">
      <div className="stack" style={{ gap: 6 }}>
        <h2>{summary}</h2>
        <span className="row">
          <span className={`method ${method}`}>{method}</span>
          <code>{path}</code>
        </span>
      </div>
      {description.map((paragraph) => (
        <p key={paragraph}>{paragraph}</p>
      ))}
      <p>
        <a href={`/docs#operation/${name}`} target="_blank" rel="noreferrer">
          {text.referenceOpen}
        </a>
      </p>
      {parameters.length > 0 && (
        <ScrolledTable
          name={text.parameters}
          columns={[text.parameter, text.place, text.meaning]}
          rows={parameters.map((each) => ({ key: each.name, cells: [<Name key="name" parameter={each} />, each.in, each.description] }))}
        />
      )}
      {body !== undefined && (
        <>
          <h3>{text.exampleBody}</h3>
          <CodeBox label={text.exampleBody} value={JSON.stringify(body, undefined, 2)} />
        </>
      )}
      <h3>curl</h3>
      <CodeBox label="curl" value={curl} />
      <h3>TypeScript</h3>
      <CodeBox label="TypeScript" value={typescript} />
      {path.startsWith('/api/v1/') && (
        <>
          <h3>{text.tryIt}</h3>
          <TryIt key={name} operation={operation} />
        </>
      )}
    </section>
  );
};

const Name = ({ parameter: { name, required } }: { parameter: Described['parameters'][number] }): JSX.Element => {
  const text = useText(developersText);
  return (
    <>
      <code>{name}</code> {required && <Badge>{text.required}</Badge>}
    </>
  );
};
