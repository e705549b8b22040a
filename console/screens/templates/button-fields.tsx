import { type JSX, type KeyboardEvent, useEffect, useRef, useState } from 'react';
import { Button } from '../../components/basics.tsx';
import { TextField } from '../../components/fields.tsx';
import { Icon } from '../../components/icons.tsx';
import { Menu } from '../../components/menu.tsx';
import { templatesText } from '../../text/templates.ts';
import { type TextOf, useText } from '../../text/text.ts';
import { type Building, type ButtonField, PartProblem, useOriginal } from './builder-parts.tsx';
import { type ButtonKind, buttonKinds, type DraftButton, hasVariable, moved, withButton } from './template-draft.ts';
import { takesButton } from './template-rules.ts';

const kindName = (text: TextOf<typeof templatesText>, kind: ButtonKind): string =>
  ({ QUICK_REPLY: text.quickReply, URL: text.linkButton, PHONE_NUMBER: text.phoneButton, COPY_CODE: text.codeButton })[kind];

/** The buttons below the message: added up to what WhatsApp takes, and moved by buttons or by Alt and an arrow. */
export const ButtonFields = ({ building }: { building: Building }): JSX.Element => {
  const { draft, change } = building;
  const text = useText(templatesText);
  const list = useRef<HTMLDivElement>(null);
  /** What has the focus once the buttons have changed: React puts it aside with a row that is moved. */
  const [wanted, setWanted] = useState<string>();
  useEffect(() => {
    if (wanted === undefined) return;
    list.current?.querySelector<HTMLElement>(wanted)?.focus();
    setWanted(undefined);
  }, [wanted]);
  const { buttons } = draft;
  const set = (key: number, edit: Partial<DraftButton>): void =>
    change({ buttons: buttons.map((each) => (each.key === key ? { ...each, ...edit } : each)) });
  const move = (key: number, by: 1 | -1, from: string): void => {
    change({ buttons: moved(buttons, key, by) });
    setWanted(`[data-key="${key}"] ${from}`);
  };
  const add = (kind: ButtonKind): void => {
    const next = withButton(buttons, kind);
    change({ buttons: next });
    setWanted(`[data-key="${Math.max(...next.map(({ key }) => key))}"] input`);
  };
  const remove = (key: number): void => {
    change({ buttons: buttons.filter((each) => each.key !== key) });
    setWanted('.add-button');
  };
  return (
    <div ref={list} className="form">
      {buttons.map((button, place) => (
        <ButtonRow
          key={button.key}
          building={building}
          button={button}
          place={place}
          isLast={place === buttons.length - 1}
          onSet={(edit) => set(button.key, edit)}
          onMove={(by, from) => move(button.key, by, from)}
          onRemove={() => remove(button.key)}
        />
      ))}
      <PartProblem problem={building.problemOfButtons} />
      <div>
        <Menu
          label={text.addButton}
          className="button add-button"
          trigger={
            <>
              <Icon name="plus" /> {text.addButton}
            </>
          }
          entries={buttonKinds.map((kind) => ({ id: kind, label: kindName(text, kind), disabled: !takesButton(draft, kind) }))}
          onSelect={(id) => {
            const kind = buttonKinds.find((each) => each === id);
            if (kind) add(kind);
          }}
        />
      </div>
    </div>
  );
};

interface ButtonRowProps {
  building: Building;
  button: DraftButton;
  place: number;
  isLast: boolean;
  onSet: (edit: Partial<DraftButton>) => void;
  /** `from`: the selector of what had the focus in the row. */
  onMove: (by: 1 | -1, from: string) => void;
  onRemove: () => void;
}

const ButtonRow = ({ building, button, place, isLast, onSet, onMove, onRemove }: ButtonRowProps): JSX.Element => {
  const text = useText(templatesText);
  const { type } = button;
  const name = text.nthButton(kindName(text, type), place + 1);
  const original = useOriginal(building.source?.buttons.find(({ key }) => key === button.key)?.text);
  const field = (of: ButtonField, api: string, label: string, rest: { type?: string; hint?: string | undefined } = {}): JSX.Element => (
    <TextField
      label={label}
      dir="auto"
      {...rest}
      value={button[of]}
      problem={building.problemAt('BUTTONS', `buttons.${place}.${api}`, button[of])}
      onText={(value) => onSet({ [of]: value })}
    />
  );
  const onKey = (event: KeyboardEvent): void => {
    const by = event.altKey ? ({ ArrowUp: -1, ArrowDown: 1 } as const)[event.key] : undefined;
    if (by === undefined) return;
    event.preventDefault();
    onMove(by, 'input');
  };
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- its controls have the keys
    <fieldset className="button-fields" data-key={button.key} onKeyDown={onKey}>
      <legend className="hidden-text">{name}</legend>
      <div className="row">
        <strong className="grow">{kindName(text, type)}</strong>
        <Button
          small
          look="quiet"
          icon="down"
          className="up"
          label={text.moveUp(name)}
          isSoftDisabled={place === 0}
          onClick={() => onMove(-1, '.up')}
        />
        <Button
          small
          look="quiet"
          icon="down"
          className="down"
          label={text.moveDown(name)}
          isSoftDisabled={isLast}
          onClick={() => onMove(1, '.down')}
        />
        <Button small look="quiet" icon="trash" label={text.removeButton(name)} onClick={onRemove} />
      </div>
      <div className="pair">
        {type !== 'COPY_CODE' && field('text', 'text', text.buttonText, { hint: original })}
        {type === 'URL' && field('url', 'url', text.address, { type: 'url', hint: text.addressHint })}
        {type === 'PHONE_NUMBER' && field('phone', 'phone_number', text.phone, { type: 'tel' })}
        {type === 'COPY_CODE' && field('example', 'example', text.codeExample)}
      </div>
      {type === 'URL' && hasVariable(button.url) && field('example', 'example', text.addressExample, { type: 'url' })}
    </fieldset>
  );
};
