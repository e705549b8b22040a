import type { JSX } from 'react';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { mostOfNumber as most } from '../../../functions/messaging/domain/number-limits.ts';
import { useInspectable } from '../../app/inspected.ts';
import { Button } from '../../components/basics.tsx';
import { TextField } from '../../components/fields.tsx';
import { useForm } from '../../components/form.tsx';
import { Page, Section } from '../../components/page.tsx';
import { Shown } from '../../components/shown.tsx';
import { toast } from '../../components/toasts.tsx';
import { changesOf } from '../../data/changes.ts';
import { type Answer, api } from '../../data/client.ts';
import { automationBody, automationValues, type Command, isAutomationReady, nameProblemOf } from '../../data/number-tools.ts';
import { queryClient, read } from '../../data/queries.ts';
import { numberToolsText } from '../../text/number-tools.ts';
import { problemsText } from '../../text/problems.ts';
import { settingsText } from '../../text/settings.ts';
import { useText } from '../../text/text.ts';
import { NumberNav, useTitleOf } from './number-nav.tsx';
import { SettingsForm } from '../../components/settings-form.tsx';
import { useWithin } from './within.ts';

type Automation = Answer<'getNumberAutomation'>['data'];

/** What a customer is offered in the chat with a number before writing: ice breakers and commands. */
const NumberOffers = (): JSX.Element => {
  const text = useText(numberToolsText);
  const settings = useText(settingsText);
  const { id } = useParams({ from: '/shell/settings/numbers/$id/suggestions' });
  const params = { id };
  const query = useQuery(read('getNumberAutomation', { params }));
  const title = useTitleOf(id, settings.numberOffers, text.offersOf);
  useInspectable({
    title,
    subject: `number:${id}`,
    object: query.data?.data,
    call: { operation: 'getNumberAutomation', input: { params } },
  });
  return (
    <Page title={title} filters={<NumberNav id={id} />}>
      <Shown query={query}>{({ data }) => <OffersForm key={id} id={id} automation={data} />}</Shown>
    </Page>
  );
};
export default NumberOffers;

const OffersForm = ({ id, automation }: { id: number; automation: Automation }): JSX.Element => {
  const text = useText(numberToolsText);
  const settings = useText(settingsText);
  const within = useWithin();
  const params = { id };
  const before = automationValues(automation);
  const { values, set, submitting } = useForm(
    before,
    (_, call, changed) => api.updateNumberAutomation({ params, body: automationBody(changed) }, call),
    (answer) => {
      queryClient.setQueryData(read('getNumberAutomation', { params }).queryKey, answer);
      toast(settings.saved);
    },
  );
  const { ice_breakers: texts, commands } = values;
  return (
    <SettingsForm submitting={submitting} isDisabled={!isAutomationReady(changesOf(before, values))}>
      <Section title={text.iceBreakers} hint={text.iceBreakersHint(most.iceBreakers)}>
        {texts.map((each, nth) => (
          <TextField
            // oxlint-disable-next-line react/no-array-index-key -- fields have no other name
            key={nth}
            label={text.iceBreaker(nth + 1)}
            dir="auto"
            onText={(value) => set('ice_breakers')(texts.map((other, index) => (index === nth ? value : other)))}
            {...within({ value: each }, most.iceBreaker)}
          />
        ))}
      </Section>
      <Section title={text.commands} hint={text.commandsHint}>
        <Commands commands={commands} onCommands={set('commands')} />
      </Section>
    </SettingsForm>
  );
};

type CommandsProps = { commands: readonly Command[]; onCommands: (commands: Command[]) => void };

/** The commands: written, added and removed. */
const Commands = ({ commands, onCommands }: CommandsProps): JSX.Element => {
  const text = useText(numberToolsText);
  return (
    <>
      {commands.map((_, index) => (
        <CommandRow
          // oxlint-disable-next-line react/no-array-index-key -- rows have no other name
          key={index}
          commands={commands}
          index={index}
          onChange={(changes) => onCommands(commands.map((each, nth) => (nth === index ? { ...each, ...changes } : each)))}
          onRemove={() => onCommands(commands.filter((__, nth) => nth !== index))}
        />
      ))}
      <div className="row actions">
        {commands.length < most.commands && (
          <Button small icon="plus" onClick={() => onCommands([...commands, { name: '', description: '' }])}>
            {text.commandAdd}
          </Button>
        )}
        <span className="muted">{text.commandsWritten(commands.length, most.commands)}</span>
      </div>
    </>
  );
};

interface CommandRowProps {
  commands: readonly Command[];
  index: number;
  onChange: (changes: Partial<Command>) => void;
  onRemove: () => void;
}

const CommandRow = ({ commands, index, onChange, onRemove }: CommandRowProps): JSX.Element => {
  const text = useText(numberToolsText);
  const problems = useText(problemsText);
  const within = useWithin();
  const { name = '', description = '' } = commands[index] ?? {};
  const wrong = nameProblemOf(commands, index);
  const nameProblem = wrong && { missing: problems.needed, form: text.commandForm, double: text.commandDouble }[wrong];
  const isUndescribed = name.trim() !== '' && description.trim() === '';
  return (
    <div className="command-row">
      <TextField
        label={text.command(index + 1)}
        dir="auto"
        spellCheck={false}
        // the slash stands before it in every chat
        onText={(value) => onChange({ name: value.replace(/^\/+/, '') })}
        {...within({ value: name, problem: nameProblem }, most.commandName, text.commandHint)}
      />
      <TextField
        label={text.commandDescription(index + 1)}
        dir="auto"
        onText={(value) => onChange({ description: value })}
        {...within({ value: description, problem: isUndescribed ? problems.needed : undefined }, most.commandDescription)}
      />
      <Button look="quiet" small icon="close" label={text.commandRemove(index + 1)} onClick={onRemove} />
    </div>
  );
};
