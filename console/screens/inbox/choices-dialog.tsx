import { type JSX, useState } from 'react';
import type { Input } from '../../data/client.ts';
import { Button } from '../../components/basics.tsx';
import { LongTextField, SelectField, TextField } from '../../components/fields.tsx';
import { FormDialog } from '../../components/form-dialog.tsx';
import { inboxText } from '../../text/inbox.ts';
import { shellText } from '../../text/shell.ts';
import { useText } from '../../text/text.ts';

type Kind = 'buttons' | 'list' | 'link';
interface Row {
  title: string;
  description: string;
}
/** What stands below the text, in the form of sendText and sendList. */
export type Choices =
  | { footer?: string; buttons: { title: string }[] }
  | { footer?: string; button_name: string; button_url: string }
  | { footer?: string; action: Input<'sendList'>['body']['action'] };

/** The provider's limits: docs of sendText and sendList. */
const most = { buttons: 3, rows: 10, buttonTitle: 20, rowTitle: 24, rowDescription: 72, footer: 60 };
const empty: Row = { title: '', description: '' };

/** A message that the contact answers with a press: up to three buttons, a list of up to ten rows, or a button with a link. */
const ChoicesDialog = ({
  message,
  onSend,
  onClose,
}: {
  message: string;
  onSend: (message: string, choices: Choices) => void;
  onClose: () => void;
}): JSX.Element => {
  const text = useText(inboxText);
  const shell = useText(shellText);
  const [body, setBody] = useState(message);
  const [kind, setKind] = useState<Kind>('buttons');
  const [rows, setRows] = useState<readonly Row[]>([empty]);
  const [button, setButton] = useState('');
  const [link, setLink] = useState('https://');
  const [footer, setFooter] = useState('');
  const limit = kind === 'list' ? most.rows : most.buttons;
  const shown = rows.slice(0, limit);
  const filled = shown
    .map(({ title, description }) => ({ title: title.trim(), description: description.trim() }))
    .filter((row) => row.title !== '');
  const isDouble = new Set(filled.map(({ title }) => title)).size < filled.length;
  const needsButton = kind !== 'buttons';
  const isReady =
    body.trim() !== '' &&
    (kind === 'link' ? /^https:\/\/\S+\.\S+$/.test(link.trim()) : filled.length > 0 && !isDouble) &&
    (!needsButton || button.trim() !== '');
  const change = (index: number, changes: Partial<Row>): void =>
    setRows(shown.map((row, nth) => (nth === index ? { ...row, ...changes } : row)));
  const submit = (): void => {
    const below = footer.trim() === '' ? {} : { footer: footer.trim() };
    const choices: Record<Kind, Choices> = {
      buttons: { ...below, buttons: filled.map(({ title }) => ({ title })) },
      link: { ...below, button_name: button.trim(), button_url: link.trim() },
      list: {
        ...below,
        action: {
          button: button.trim(),
          sections: [
            {
              rows: filled.map(({ title, description }, index) => ({
                id: `row_${index + 1}`,
                title,
                ...(description === '' ? {} : { description }),
              })),
            },
          ],
        },
      },
    };
    onSend(body.trim(), choices[kind]);
  };
  return (
    <FormDialog
      title={text.choices}
      action={text.send}
      write={{ isPending: false, error: undefined }}
      isDisabled={!isReady}
      onSubmit={submit}
      onClose={onClose}
    >
      <LongTextField label={text.message} value={body} onText={setBody} rows={3} maxLength={kind === 'list' ? 4_096 : 1_024} dir="auto" />
      <SelectField
        label={text.choicesKind}
        value={kind}
        onText={setKind}
        choices={[
          ['buttons', text.choicesButtons],
          ['list', text.choicesList],
          ['link', text.choicesLink],
        ]}
      />
      {needsButton && (
        <TextField
          label={kind === 'list' ? text.choicesOpens : text.choicesLabel}
          value={button}
          onText={setButton}
          maxLength={most.buttonTitle}
          dir="auto"
        />
      )}
      {kind === 'link' && <TextField label={text.choicesAddress} type="url" value={link} onText={setLink} maxLength={2_000} />}
      {kind !== 'link' && (
        <fieldset className="field choice-rows">
          <legend>{kind === 'list' ? text.choicesRows : text.choicesButtons}</legend>
          {shown.map((row, index) => (
            // oxlint-disable-next-line react/no-array-index-key -- rows have no other name
            <div key={index} className="row">
              <input
                className="input grow"
                dir="auto"
                aria-label={text.choiceTitle(index + 1)}
                placeholder={text.choiceTitle(index + 1)}
                maxLength={kind === 'list' ? most.rowTitle : most.buttonTitle}
                value={row.title}
                onChange={({ target }) => change(index, { title: target.value })}
              />
              {kind === 'list' && (
                <input
                  className="input grow"
                  dir="auto"
                  aria-label={text.choiceDescription(index + 1)}
                  placeholder={text.choiceDescription(index + 1)}
                  maxLength={most.rowDescription}
                  value={row.description}
                  onChange={({ target }) => change(index, { description: target.value })}
                />
              )}
              <Button
                look="quiet"
                small
                icon="close"
                label={shell.remove}
                disabled={shown.length === 1}
                onClick={() => setRows(shown.filter((_, nth) => nth !== index))}
              />
            </div>
          ))}
          {isDouble && (
            <span className="problem" role="alert">
              {text.choicesDouble}
            </span>
          )}
          {shown.length < limit && (
            <Button small icon="plus" onClick={() => setRows([...shown, empty])}>
              {text.choiceAdd}
            </Button>
          )}
        </fieldset>
      )}
      <TextField label={text.choicesFooter} value={footer} onText={setFooter} maxLength={most.footer} dir="auto" />
    </FormDialog>
  );
};
export default ChoicesDialog;
