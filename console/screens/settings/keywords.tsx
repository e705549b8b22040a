import { type FormEvent, type JSX, useState } from 'react';
import { useQuery } from '@tanstack/react-query';
import { useInspectable } from '../../app/inspected.ts';
import { Button, Loading } from '../../components/basics.tsx';
import { isOfFields, LongTextField, problemOf, SelectField } from '../../components/fields.tsx';
import { Icon, Spinner } from '../../components/icons.tsx';
import { Page, Section } from '../../components/page.tsx';
import { ProblemCard } from '../../components/problem.tsx';
import { toast } from '../../components/toasts.tsx';
import { type Answer, api } from '../../data/client.ts';
import { useWrite } from '../../data/forms.ts';
import { linesOf } from '../../data/lines.ts';
import { queryClient, read } from '../../data/queries.ts';
import { useMay } from '../../data/session.ts';
import { settingsText } from '../../text/settings.ts';
import { shellText } from '../../text/shell.ts';
import { useText } from '../../text/text.ts';

type KeywordSettings = Answer<'getKeywords'>['data'];

/** The words by which contacts opt out and in, and what they are answered. */
const Keywords = (): JSX.Element => {
  const text = useText(settingsText);
  const { data, error, refetch } = useQuery(read('getKeywords'));
  useInspectable({ title: text.keywords, object: data?.data, call: { operation: 'getKeywords', input: {} } });
  return (
    <Page title={text.keywords}>
      {error && <ProblemCard error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Loading />}
      {data && <KeywordsForm keywords={data.data} />}
    </Page>
  );
};
export default Keywords;

const fields = ['stop', 'start', 'stop_reply', 'start_reply'];

const KeywordsForm = ({ keywords }: { keywords: KeywordSettings }): JSX.Element => {
  const text = useText(settingsText);
  const shell = useText(shellText);
  const mayWrite = useMay('admin');
  const [stop, setStop] = useState((keywords.stop ?? []).join('\n'));
  const [start, setStart] = useState((keywords.start ?? []).join('\n'));
  const [stopReply, setStopReply] = useState(keywords.stop_reply);
  const [startReply, setStartReply] = useState(keywords.start_reply);
  const wordsOf = (lines: string): string[] | null => {
    const words = linesOf(lines);
    return words.length === 0 ? null : words;
  };
  const save = useWrite(
    (_: undefined, call) =>
      api.setKeywords({ body: { stop: wordsOf(stop), start: wordsOf(start), stop_reply: stopReply, start_reply: startReply } }, call),
    (answer) => {
      queryClient.setQueryData(read('getKeywords').queryKey, answer);
      toast(text.saved);
    },
  );
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    save.run(undefined);
  };
  return (
    <form noValidate onSubmit={submit}>
      <p className="muted lead">{text.keywordsHint}</p>
      {save.error && !isOfFields(save.error, fields) && <ProblemCard error={save.error} />}
      {!mayWrite && (
        <div className="notice info">
          <Icon name="alert" />
          <p>{text.readOnly(shell.admin)}</p>
        </div>
      )}
      <fieldset className="field" disabled={!mayWrite}>
        <Section title={text.stop} hint={text.perLine}>
          <LongTextField label={text.stop} value={stop} onText={setStop} problem={problemOf(save.error, 'stop')} dir="auto" />
          <Reply label={text.stopReply} value={stopReply} onChange={setStopReply} problem={problemOf(save.error, 'stop_reply')} />
        </Section>
        <Section title={text.start} hint={text.perLineStart}>
          <LongTextField label={text.start} value={start} onText={setStart} problem={problemOf(save.error, 'start')} dir="auto" />
          <Reply label={text.startReply} value={startReply} onChange={setStartReply} problem={problemOf(save.error, 'start_reply')} />
        </Section>
      </fieldset>
      {mayWrite && (
        <div className="save-line">
          <Button type="submit" look="primary" disabled={save.isPending}>
            {save.isPending && <Spinner />}
            {shell.save}
          </Button>
        </div>
      )}
    </form>
  );
};

type Kind = 'usual' | 'own' | 'none';

/** The usual reply, one's own, or none: null, a text, an empty text. */
const Reply = ({
  label,
  value,
  onChange,
  problem,
}: {
  label: string;
  value: string | null;
  onChange: (value: string | null) => void;
  problem: string | undefined;
}): JSX.Element => {
  const text = useText(settingsText);
  const [kind, setKind] = useState<Kind>(value === null ? 'usual' : value === '' ? 'none' : 'own');
  return (
    <>
      <SelectField
        label={label}
        value={kind}
        onText={(next) => {
          setKind(next);
          onChange(next === 'usual' ? null : '');
        }}
        choices={[
          ['usual', text.replyUsual],
          ['own', text.replyOwn],
          ['none', text.replyNone],
        ]}
      />
      {kind === 'own' && (
        <LongTextField label={`${label}: ${text.ownText}`} rows={3} value={value ?? ''} onText={onChange} problem={problem} dir="auto" />
      )}
    </>
  );
};
