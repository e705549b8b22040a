import { type JSX, useMemo } from 'react';
import { useQuery } from '@tanstack/react-query';
import { Badge, Empty, Loading } from '../../components/basics.tsx';
import { Icon } from '../../components/icons.tsx';
import { Page } from '../../components/page.tsx';
import { ProblemCard } from '../../components/problem.tsx';
import { VirtualList } from '../../components/virtual-list.tsx';
import { useFilter } from '../../data/search.ts';
import { developersText } from '../../text/developers.ts';
import { useText } from '../../text/text.ts';
import { CodeBox } from './code-box.tsx';
import { FilterText } from './filter-text.tsx';
import { codeOf, type Described, readReference } from './openapi.ts';

/** Every operation of the API, searchable: what it does, what it takes, and how it is called by curl and by TypeScript. */
const Reference = (): JSX.Element => {
  const text = useText(developersText);
  const [search, setSearch] = useFilter('q');
  const [chosen, setChosen] = useFilter('operation');
  const { data, error, refetch } = useQuery({
    queryKey: ['reference'],
    queryFn: ({ signal }) => readReference(signal),
    staleTime: Infinity,
  });
  const found = useMemo(() => {
    const words = (search ?? '').toLowerCase().split(/\s+/);
    return (data ?? []).filter(({ name, path, summary, area }) => {
      const all = `${name} ${path} ${summary} ${area}`.toLowerCase();
      return words.every((word) => all.includes(word));
    });
  }, [data, search]);
  const one = data?.find(({ name }) => name === chosen);
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
      {error && <ProblemCard error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Loading />}
      {data && (
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
              shown={found.findIndex(({ name }) => name === chosen)}
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
      )}
    </Page>
  );
};
export default Reference;

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
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls has to be reached by keys
        <div className="table-wrap" tabIndex={0} role="region" aria-label={text.parameters}>
          <table className="table">
            <caption className="hidden-text">{text.parameters}</caption>
            <thead>
              <tr>
                <th scope="col">{text.parameter}</th>
                <th scope="col">{text.place}</th>
                <th scope="col">{text.meaning}</th>
              </tr>
            </thead>
            <tbody>
              {parameters.map((each) => (
                <tr key={each.name}>
                  <td>
                    <code>{each.name}</code> {each.required && <Badge>{text.required}</Badge>}
                  </td>
                  <td>{each.in}</td>
                  <td>{each.description}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
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
    </section>
  );
};
