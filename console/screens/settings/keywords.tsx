import { type JSX, useState } from 'react';
import { useQuery } from '@tanstack/react-query';
import { useInspectable } from '../../app/inspected.ts';
import { Shown } from '../../components/shown.tsx';
import { LongTextField, SelectField } from '../../components/fields.tsx';
import { useForm } from '../../components/form.tsx';
import { Page, Section } from '../../components/page.tsx';
import { toast } from '../../components/toasts.tsx';
import { type Answer, api } from '../../data/client.ts';
import { linesOf } from '../../data/lines.ts';
import { queryClient, read } from '../../data/queries.ts';
import { settingsText } from '../../text/settings.ts';
import { useText } from '../../text/text.ts';
import { SettingsForm } from '../../components/settings-form.tsx';

type KeywordSettings = Answer<'getKeywords'>['data'];

/** The words by which contacts opt out and in, and what they are answered. */
const Keywords = (): JSX.Element => {
  const text = useText(settingsText);
  const query = useQuery(read('getKeywords'));
  useInspectable({ title: text.keywords, object: query.data?.data, call: { operation: 'getKeywords', input: {} } });
  return (
    <Page title={text.keywords}>
      <Shown query={query}>{({ data }) => <KeywordsForm keywords={data} />}</Shown>
    </Page>
  );
};
export default Keywords;

const wordsOf = (lines: string): string[] | null => {
  const words = linesOf(lines);
  return words.length === 0 ? null : words;
};

const KeywordsForm = ({ keywords }: { keywords: KeywordSettings }): JSX.Element => {
  const text = useText(settingsText);
  const { field, submitting } = useForm(
    {
      stop: (keywords.stop ?? []).join('\n'),
      start: (keywords.start ?? []).join('\n'),
      stop_reply: keywords.stop_reply,
      start_reply: keywords.start_reply,
    },
    (_, call, { stop, start, ...replies }) =>
      api.setKeywords(
        {
          body: {
            ...(stop === undefined ? {} : { stop: wordsOf(stop) }),
            ...(start === undefined ? {} : { start: wordsOf(start) }),
            ...replies,
          },
        },
        call,
      ),
    (answer) => {
      queryClient.setQueryData(read('getKeywords').queryKey, answer);
      toast(text.saved);
    },
  );
  return (
    <>
      <p className="muted lead">{text.keywordsHint}</p>
      <SettingsForm submitting={submitting}>
        <Section title={text.stop} hint={text.perLine}>
          <LongTextField label={text.stop} dir="auto" {...field('stop')} />
          <Reply label={text.stopReply} {...field('stop_reply')} />
        </Section>
        <Section title={text.start} hint={text.perLineStart}>
          <LongTextField label={text.start} dir="auto" {...field('start')} />
          <Reply label={text.startReply} {...field('start_reply')} />
        </Section>
      </SettingsForm>
    </>
  );
};

type Kind = 'usual' | 'own' | 'none';

type ReplyProps = { label: string; value: string | null; onText: (value: string | null) => void; problem: string | undefined };

/** The usual reply, one's own, or none: null, a text, an empty text. */
const Reply = ({ label, value, onText, problem }: ReplyProps): JSX.Element => {
  const text = useText(settingsText);
  const [isWriting, setWriting] = useState(false);
  const kind: Kind = value === null ? 'usual' : value === '' && !isWriting ? 'none' : 'own';
  const write = (next: string): void => {
    setWriting(true);
    onText(next);
  };
  return (
    <>
      <SelectField
        label={label}
        value={kind}
        onText={(next) => {
          setWriting(next === 'own');
          onText(next === 'usual' ? null : '');
        }}
        choices={[
          ['usual', text.replyUsual],
          ['own', text.replyOwn],
          ['none', text.replyNone],
        ]}
      />
      {kind === 'own' && (
        <LongTextField label={`${label}: ${text.ownText}`} rows={3} value={value ?? ''} onText={write} problem={problem} dir="auto" />
      )}
    </>
  );
};
