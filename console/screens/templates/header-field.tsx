import { type JSX, useState } from 'react';
import { maxSampleBytes, sampleTypes } from '../../../functions/templates/domain/sample.ts';
import { DropFile } from '../../components/drop-file.tsx';
import { SelectField, TextField } from '../../components/fields.tsx';
import { ProblemCard } from '../../components/problem.tsx';
import { useWrite } from '../../data/forms.ts';
import { uploadFile } from '../../data/uploads.ts';
import { templatesText } from '../../text/templates.ts';
import { useText } from '../../text/text.ts';
import { Examples } from './body-field.tsx';
import { type Building, PartProblem, useOriginal } from './builder-parts.tsx';
import { headerKinds, type Sample } from './template-draft.ts';

/** What stands above the text: nothing, a headline, or a file, of which WhatsApp wants a sample. */
export const HeaderField = ({ building, onPicture }: { building: Building; onPicture: (file: File | undefined) => void }): JSX.Element => {
  const { draft, change, problemAt, source } = building;
  const text = useText(templatesText);
  const original = useOriginal(source?.header);
  const names = { NONE: text.noHeader, TEXT: text.headline, IMAGE: text.image, VIDEO: text.video, DOCUMENT: text.document };
  const { headerKind: kind } = draft;
  return (
    <>
      <SelectField
        label={text.header}
        value={kind}
        choices={headerKinds.map((each) => [each, names[each]] as const)}
        onText={(headerKind) => {
          change({ headerKind, sample: undefined });
          onPicture(undefined);
        }}
      />
      {kind === 'TEXT' && (
        <>
          <TextField
            label={text.headline}
            hint={original}
            dir="auto"
            value={draft.header}
            problem={problemAt('HEADER', 'text', draft.header)}
            onText={(header) => change({ header })}
          />
          <Examples building={building} part="header" />
        </>
      )}
      {kind in sampleTypes && <SampleField key={kind} building={building} onPicture={onPicture} />}
    </>
  );
};

/** The sample, by a drop or a choice; it is uploaded at once. */
const SampleField = ({ building, onPicture }: { building: Building; onPicture: (file: File | undefined) => void }): JSX.Element => {
  const { draft, change, problemAt } = building;
  const text = useText(templatesText);
  const [share, setShare] = useState<number>();
  const [refused, setRefused] = useState<string>();
  const types = sampleTypes[draft.headerKind] ?? [];
  const upload = useWrite(
    async (file: File): Promise<Sample> => ({ id: await uploadFile(file, setShare), name: file.name }),
    (sample, file) => {
      change({ sample });
      onPicture(file.type.startsWith('image/') ? file : undefined);
    },
  );
  const take = (file: File): void => {
    setRefused(types.includes(file.type) ? (file.size > maxSampleBytes ? text.ruleFileSize : undefined) : text.ruleFileType);
    if (types.includes(file.type) && file.size <= maxSampleBytes) upload.run(file);
  };
  const problem = refused ?? problemAt('HEADER', 'example', '') ?? problemAt('HEADER', 'media_id', '');
  return (
    <div className="field">
      <DropFile
        label={text.sample}
        icon={draft.headerKind === 'DOCUMENT' ? 'file' : 'image'}
        accept={types.join(',')}
        isInvalid={problem !== undefined}
        isBusy={upload.isPending}
        onFile={take}
      >
        <SampleWords sample={draft.sample} share={upload.isPending ? (share ?? 0) : undefined} />
      </DropFile>
      <PartProblem problem={problem} />
      {upload.error && <ProblemCard error={upload.error} />}
      <span className="hint">{text.sampleHint}</span>
    </div>
  );
};

const SampleWords = ({ sample, share }: { sample: Sample | undefined; share: number | undefined }): JSX.Element => {
  const text = useText(templatesText);
  if (share !== undefined) return <>{text.uploading(Math.round(share * 100))}</>;
  if (!sample) return <strong>{text.dropSample}</strong>;
  return (
    <>
      <strong dir="auto">{'id' in sample ? sample.name : text.sampleThere}</strong> <span className="muted">{text.dropAnother}</span>
    </>
  );
};
