import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { app } from '../../functions/app.ts';
import { declarationsOf } from '../../lib/aws/declared.ts';
import { settingsSchema } from '../../lib/aws/settings.ts';
import { startCommandHost, words } from '../support/command-line.ts';
import { templateOf } from '../wiring/template.ts';

/**
 * docs/operate.md, command by command: those of the product are looked up where they run, those of AWS name things that the stack has. What needs
 * an account is listed here, so that a new command has to say which it is.
 */
const root = join(import.meta.dirname, '../..');
const page = readFileSync(join(root, 'docs/operate.md'), 'utf8');
const scripts = [...page.matchAll(/^ *```sh\n([^]*?)^ *```/gm)].map(([, text = '']) => text);
const blocks = scripts.map((script) => script.replaceAll(/\\\n\s*/g, ' '));
const prose = page.replaceAll(/^ *```[a-z]*\n[^]*?^ *```/gm, '');
const inline = [...prose.matchAll(/`([^`]+)`/g)].map(([, text = '']) => text.replaceAll(/\s+/g, ' '));
const lines = [...blocks.flatMap((block) => block.split('\n')), ...inline].flatMap((line) => line.trim().split(/ && |\$\((?=aws)/));
const commands = (begin: string): string[] =>
  [...new Set(lines.map((line) => line.replace(/^[A-Z]+=\$\(/, '')))].filter((line) => line.startsWith(begin));

const host = startCommandHost();
afterAll(() => host[Symbol.asyncDispose]());
const helps = new Map<string, Promise<string>>();
const help = (...args: string[]): Promise<string> => {
  const key = args.join(' ');
  const known = helps.get(key) ?? host.run([...args, '--help']).then(({ code, out }) => (code === 0 ? out : ''));
  helps.set(key, known);
  return known;
};

const template = templateOf(app, { site: true });
const text = JSON.stringify(template.resources);

describe('every command of docs/operate.md', () => {
  test.each(commands('npm run admin -- ').filter((line) => !line.includes('--help')))(
    '%s: the command and its options exist',
    async (line) => {
      const args = words(line.replace('npm run admin -- ', ''));
      const options = args.filter((each) => each.startsWith('--'));
      const names = args.filter((each, index) => !each.startsWith('--') && !['--stack'].includes(args[index - 1] ?? ''));
      const own = (await help(...names.slice(0, 2))) || (await help(...names.slice(0, 1)));
      expect(own, line).not.toBe('');
      const known = `${own}${await help()}`;
      expect(options.filter((option) => !known.includes(`${option} `) && !known.includes(`${option}\n`))).toEqual([]);
    },
  );

  test('what the page calls by noun and verb alone exists', async () => {
    const nouns = [...(await help()).matchAll(/^ {2}([a-z-]+) /gm)].map(([, noun = '']) => noun);
    const calls = inline.map((each) => words(each)).filter(([noun = '', verb = '']) => nouns.includes(noun) && /^[a-z-]+$/.test(verb));
    expect(calls.length).toBeGreaterThan(8);
    const missing = await Promise.all(
      calls.map(async ([noun = '', verb = '']) => ((await help(noun, verb)) === '' ? [`${noun} ${verb}`] : [])),
    );
    expect(missing.flat()).toEqual([]);
  });

  test('npm scripts exist', () => {
    const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { scripts: Record<string, string> };
    const named = commands('npm run ').map((line) => words(line)[2] ?? '');
    expect(named.length).toBeGreaterThan(3);
    expect(named.filter((name) => !(name in scripts))).toEqual([]);
  });

  const ofCdk = [...commands('npx cdk '), ...commands('npm run deploy ')];

  test('cdk commands have only settings that exist, and one command deploys, with the pages', () => {
    const named = ofCdk.flatMap((line) => [...line.matchAll(/-c ([a-zA-Z]+)=/g)].map(([, name = '']) => name));
    expect(new Set(commands('npx cdk ').map((line) => words(line)[2]))).toEqual(new Set(['bootstrap', 'diff', 'destroy']));
    expect(named.filter((name) => !(name in settingsSchema.shape) && name !== 'stage' && name !== 'accept')).toEqual([]);
  });

  test('every cdk command names the stage: without it there are no settings, and the app stops', () => {
    expect(ofCdk.filter((line) => !line.includes('-c stage='))).toEqual([]);
  });

  test('every script is one that a shell takes', () => {
    expect(scripts.length).toBeGreaterThan(8);
    for (const script of scripts)
      expect(spawnSync('sh', ['-n'], { input: script, encoding: 'utf8' })).toMatchObject({ status: 0, stderr: '' });
  });

  test('every setting is in the table of settings, and no other', () => {
    const table = page.slice(page.indexOf('| setting |'), page.indexOf('A wrong setting is named'));
    const rows = [...table.matchAll(/^\| (`[^|]+`) \|/gm)].flatMap(([, names = '']) =>
      [...names.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name),
    );
    expect(rows.toSorted()).toEqual(Object.keys(settingsSchema.shape).toSorted());
  });

  /** They need an account: only what they name is checked. */
  test('aws commands are known to need an account, and name functions, queues, alarms and secrets that the stack has', () => {
    const needAccount = [
      'backup create-backup-vault',
      'backup put-backup-vault-access-policy',
      'backup start-restore-job',
      'backup update-region-settings',
      'cloudformation cancel-update-stack',
      'cloudformation describe-stack-events',
      'cloudformation describe-stacks',
      'cloudformation list-stack-resources',
      'cloudwatch set-alarm-state',
      'deploy list-deployments',
      'dynamodb describe-table',
      'dynamodb restore-table-to-point-in-time',
      'dynamodb update-continuous-backups',
      'dynamodb update-item',
      'dynamodb update-table',
      'dynamodb update-time-to-live',
      'dynamodb wait',
      'dynamodbstreams describe-stream',
      'lambda delete-function-concurrency',
      'lambda get-function-concurrency',
      'lambda list-versions-by-function',
      'lambda put-function-concurrency',
      'lambda update-alias',
      'secretsmanager get-secret-value',
      'secretsmanager put-secret-value',
    ];
    const used = lines.flatMap((line) => [...line.matchAll(/(?:^|[\s(])aws ([a-z0-9]+ [a-z-]+)/g)].map(([, command = '']) => command));
    expect([...new Set(used)].toSorted()).toEqual(needAccount);
    const named = lines
      .filter((line) => !line.startsWith('NEW='))
      .flatMap((line) =>
        [...line.matchAll(/(?:--(?:function|queue|alarm)-name switchboard|\$STACK)-([a-z-]+)/g)].map(
          ([, name = '']) => `switchboard-${name}`,
        ),
      );
    expect(named.length).toBeGreaterThan(2);
    expect(named.filter((name) => !text.includes(`"${name}"`))).toEqual([]);
  });

  test('the limits of the workers are those that contexts declare', () => {
    const { workers } = declarationsOf(app);
    const together = workers.reduce((sum, { maxConcurrency }) => sum + maxConcurrency, 0);
    const of = (name: string): number | undefined => workers.find((each) => each.name === name)?.maxConcurrency;
    expect(page).toContain(`the queue workers alone take up to ${together} together`);
    expect(page).toContain(`${(of('campaign-blocks') ?? 0) / 2}: ${of('campaign-blocks')} workers of \`campaign-blocks\``);
    expect(of('messaging-statuses')).toBe(of('messaging-updates'));
    expect(page).toContain(`${of('messaging-statuses')} workers of \`messaging-statuses\` and of \`messaging-updates\``);
  });

  test('the scripts of a restore stop everything but the receivers, and give each function back what it had reserved', () => {
    const folder = mkdtempSync(join(tmpdir(), 'switchboard-restore-'));
    const functions = template.ofType('AWS::Lambda::Function').map(({ Properties }) => ({
      name: String(Properties['FunctionName']),
      reserved:
        Properties['ReservedConcurrentExecutions'] === undefined ? 'None' : JSON.stringify(Properties['ReservedConcurrentExecutions']),
    }));
    const cases = functions.map(({ name, reserved }) => `*" ${name} "*) echo ${reserved};;`).join(' ');
    writeFileSync(
      join(folder, 'aws'),
      `#!/bin/sh\ncase "$2 $4" in\n"list-stack-resources switchboard") echo ${functions.map(({ name }) => name).join(' ')};;\nesac\ncase "$2" in\nlist-stack-resources) ;;\n` +
        `get-function-concurrency) case " $* " in ${cases} esac;;\n*) echo "$2 $4 $6" >>calls;;\nesac\n`,
      { mode: 0o755 },
    );
    const run = (script: string): string[] => {
      const ran = spawnSync('sh', ['-eu'], {
        cwd: folder,
        input: `STACK=switchboard\n${script}`,
        encoding: 'utf8',
        env: { PATH: `${folder}:/usr/bin:/bin` } as unknown as NodeJS.ProcessEnv,
      });
      expect(ran).toMatchObject({ status: 0, stderr: '' });
      const calls = readFileSync(join(folder, 'calls'), 'utf8').trim().split('\n');
      rmSync(join(folder, 'calls'));
      return calls.map((call) => call.trim());
    };
    const scriptWith = (command: string): string => scripts.find((script) => script.includes(command)) ?? '';
    const receivers = declarationsOf(app).http.filter(({ routes }) => Object.values(routes).some(({ via }) => via === 'url'));
    const isReceiver = ({ name }: { name: string }): boolean => receivers.some((each) => `switchboard-${each.name}` === name);
    const others = functions.filter((each) => !isReceiver(each));
    expect([receivers.length, others.length]).toEqual([3, functions.length - 3]);
    // the consumer last, when it has read what the others wrote
    const stopAll = scriptWith('list-stack-resources');
    expect(stopAll).toContain('$STACK-changes) continue');
    const stopped = run(`${stopAll}\n${scriptWith('stop $STACK-changes')}`);
    expect(stopped.at(-1)).toBe('put-function-concurrency switchboard-changes 0');
    expect(stopped.toSorted()).toEqual(others.map(({ name }) => `put-function-concurrency ${name} 0`).toSorted());
    const started = run(`${scriptWith('delete-function-concurrency')}\n${scriptWith('start $STACK-messaging-updates')}`);
    expect(started.slice(0, 4).map((call) => call.split(' ')[1])).toEqual(
      ['changes', 'erasures', 'messaging-updates', 'messaging-statuses'].map((name) => `switchboard-${name}`),
    );
    const back = others.map(({ name, reserved }) =>
      reserved === 'None' ? `delete-function-concurrency ${name}` : `put-function-concurrency ${name} ${reserved}`,
    );
    expect(started.toSorted()).toEqual(back.toSorted());
    rmSync(folder, { recursive: true });
  });

  test('every output that the page names is one of the stack', () => {
    const outputs = Object.keys(template.outputs);
    const named = [...page.matchAll(/outputs? `([A-Za-z]+)`/g)].map(([, name = '']) => name);
    expect(named.length).toBeGreaterThan(3);
    expect(named.filter((name) => !outputs.includes(name) && !/^(DomainTarget|ReceiversTarget)/.test(name))).toEqual([]);
  });
});
