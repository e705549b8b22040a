import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import type { Console } from './console.ts';
import { ada, composer, customerOf, messageOf, openThread, row } from './inbox-page.ts';

/** The kinds of messages that the inbox of test/browser/walks/inbox.ts sends and shows, in a conversation that is open. */
export const messagesInTheInbox = (swb: () => Console, page: () => Page): void => {
  const { accepted, acceptedTexts, inbound } = customerOf(swb);

  test('keeps a note among the messages for the team, and off the phone', async () => {
    await page().locator('.thread-header h2').click();
    await page().keyboard.press('n');
    await page().getByRole('textbox', { name: 'Note' }).fill('Ada is a regular');
    await page().keyboard.press('Enter');
    await page().locator('.message.note').filter({ hasText: 'Ada is a regular' }).waitFor();
    expect(JSON.stringify(await accepted(ada.phone))).not.toContain('regular');
  });

  test('changes a note where it stands, and takes that and its removal back', async () => {
    const note = page().locator('.message.note');
    const change = note.getByRole('button', { name: 'Change the note' });
    await change.click();
    await note.getByRole('textbox', { name: 'Change the note' }).fill('Ada is a wholesaler');
    await page().keyboard.press('Enter');
    await note.filter({ hasText: 'Ada is a wholesaler' }).getByText('edited').waitFor();
    await page().locator('.toast').filter({ hasText: 'Note changed' }).getByRole('button', { name: /^Undo/ }).click();
    await note.filter({ hasText: 'Ada is a regular' }).waitFor();
    await change.click();
    await note.getByRole('textbox', { name: 'Change the note' }).fill('Never saved');
    await page().keyboard.press('Escape');
    await note.filter({ hasText: 'Ada is a regular' }).waitFor();
    await note.getByRole('button', { name: 'Remove' }).click();
    await note.waitFor({ state: 'detached' });
    await page().locator('.toast').filter({ hasText: 'Note removed' }).getByRole('button', { name: /^Undo/ }).click();
    await note.filter({ hasText: 'Ada is a regular' }).waitFor();
    expect(await note.count()).toBe(1);
  });

  test('offers saved replies by a slash', async () => {
    await swb().product.api.cannedReplies.set({ params: { shortcut: 'hours' }, body: { text: 'We are open from 8 to 6.' } });
    await composer(page()).fill('/ho');
    await page().getByRole('option', { name: /hours/ }).waitFor();
    await page().keyboard.press('Enter');
    await expect.poll(() => composer(page()).inputValue()).toBe('We are open from 8 to 6.');
    await composer(page()).fill('');
  });

  test('fills a saved reply in from the contact, and sends no placeholder', async () => {
    await swb().product.api.cannedReplies.set({ params: { shortcut: 'hello' }, body: { text: 'Hello {{first_name}}!' } });
    await page().reload();
    await composer(page()).fill('/hel');
    await page().getByRole('option', { name: /hello/ }).waitFor();
    await page().keyboard.press('Enter');
    await expect.poll(() => composer(page()).inputValue()).toBe('Hello Ada!');
    await composer(page()).fill('Hello {{name}}!');
    await page().getByText('Not known of this contact: {{name}}.').waitFor();
    expect(await page().getByRole('button', { name: 'Send', exact: true }).isDisabled()).toBe(true);
    await page().keyboard.press('Enter');
    await composer(page()).fill('');
    expect(await acceptedTexts(ada.phone, 'Hello {{name}}!')).toBe(0);
  });

  test('shows before sending what a colleague answered meanwhile, and sends with the next press', async () => {
    await composer(page()).fill('We deliver on Monday');
    const other = await swb().signIn('Admin');
    await openThread(other, ada.name);
    await composer(other).fill('It comes on Tuesday');
    await other.keyboard.press('Enter');
    await messageOf(page(), 'It comes on Tuesday').waitFor();
    await composer(page()).focus();
    await page().keyboard.press('Enter');
    await page()
      .getByRole('alert')
      .filter({ hasText: /answered at .*It comes on Tuesday/ })
      .waitFor();
    expect(await acceptedTexts(ada.phone, 'We deliver on Monday')).toBe(0);
    expect(await composer(page()).inputValue()).toBe('We deliver on Monday');
    await page().getByRole('button', { name: 'Send anyway' }).click();
    await messageOf(page(), 'We deliver on Monday').getByLabel('Read', { exact: true }).waitFor();
    expect(await acceptedTexts(ada.phone, 'We deliver on Monday')).toBe(1);
    // what is written after it was seen is sent at once
    await composer(page()).fill('Sorry, Tuesday');
    await page().keyboard.press('Enter');
    await messageOf(page(), 'Sorry, Tuesday').getByLabel('Read', { exact: true }).waitFor();
    await other.context().close();
  });

  test('takes a scheduled message back into the field with its time, from where it is scheduled anew, once', async () => {
    const scheduled = messageOf(page(), 'Moved by an hour');
    await composer(page()).fill('Moved by an hour');
    await page().getByRole('button', { name: 'Send later' }).first().click();
    await page().getByRole('button', { name: 'Send later' }).last().click();
    await scheduled.getByRole('button', { name: 'Change' }).click();
    await expect.poll(() => composer(page()).inputValue()).toBe('Moved by an hour');
    await page().getByLabel('Send at').waitFor();
    await scheduled.getByText('Cancelled').waitFor();
    await page().reload();
    await page().getByLabel('Send at').waitFor();
    await page().getByRole('button', { name: 'Send later' }).last().click();
    await scheduled.getByText(/^Sends /).waitFor();
    expect(await scheduled.count()).toBe(2);
    await scheduled.getByRole('button', { name: 'Do not send' }).click();
    await expect.poll(() => scheduled.getByText('Cancelled').count()).toBe(2);
    expect(await acceptedTexts(ada.phone, 'Moved by an hour')).toBe(0);
  });

  test('schedules a message, shows when it goes, and takes it back', async () => {
    await composer(page()).fill('See you tomorrow');
    await page().getByRole('button', { name: 'Send later' }).first().click();
    await page().getByRole('button', { name: 'Send later' }).last().click();
    await messageOf(page(), 'See you tomorrow')
      .getByText(/^Sends /)
      .waitFor();
    await messageOf(page(), 'See you tomorrow').getByRole('button', { name: 'Do not send' }).click();
    await messageOf(page(), 'See you tomorrow').getByText('Cancelled').waitFor();
    expect(await messageOf(page(), 'See you tomorrow').getByText('Not delivered').count()).toBe(0);
    await row(page(), ada.name).getByRole('img', { name: 'Cancelled' }).waitFor();
    expect(await acceptedTexts(ada.phone, 'See you tomorrow')).toBe(0);
  });

  test('sends buttons once, shows the press that comes back, and what the contact reacted with', async () => {
    await openThread(page(), ada.name);
    await composer(page()).fill('Shall we deliver today?');
    await page().getByRole('button', { name: 'Buttons, a list, a link or a place' }).click();
    const dialog = page().getByRole('dialog');
    expect(await dialog.getByLabel('Message').inputValue()).toBe('Shall we deliver today?');
    await dialog.getByLabel('Text 1').fill('Yes, please');
    await dialog.getByRole('button', { name: 'Add one' }).click();
    await dialog.getByLabel('Text 2').fill('Yes, please');
    await dialog.getByText('Two have the same text.').waitFor();
    expect(await dialog.getByRole('button', { name: 'Send' }).isDisabled()).toBe(true);
    await dialog.getByLabel('Text 2').fill('No');
    await dialog.getByRole('button', { name: 'Send' }).dblclick();
    await messageOf(page(), 'Shall we deliver today?').getByLabel('Read', { exact: true }).waitFor();
    const sent = (await accepted(ada.phone)).filter(({ payload }) => payload.interactive?.body?.text === 'Shall we deliver today?');
    expect(sent.map(({ payload }) => payload.interactive?.action?.buttons?.map(({ reply }) => reply.title))).toEqual([
      ['Yes, please', 'No'],
    ]);
    // the text that was begun went with the buttons, and not by itself too
    expect(await acceptedTexts(ada.phone, 'Shall we deliver today?')).toBe(0);
    expect(await composer(page()).inputValue()).toBe('');
    const context = { context_message_id: sent[0]?.wamid };
    await inbound({ type: 'button_reply', button_reply: { id: 'btn_1', title: 'Yes, please' }, ...context });
    await page().locator('.message:not(.ours)').filter({ hasText: 'Yes, please' }).getByLabel('In reply to').waitFor();
    await inbound({ type: 'reaction', reaction: { message_id: sent[0]?.wamid, emoji: '❤️' } });
    await messageOf(page(), 'Shall we deliver today?').getByRole('img', { name: 'Contact: ❤️' }).waitFor();
  });

  test('puts a reaction on a message and takes it back, and quotes the message that it answers', async () => {
    await inbound({ type: 'text', text: 'Is the shop open?' });
    const question = page().locator('.message:not(.ours)').filter({ hasText: 'Is the shop open?' });
    await question.hover();
    await question.getByRole('button', { name: 'React' }).click();
    await page().getByRole('menuitem', { name: '👍' }).click();
    await question.getByRole('img', { name: 'You: 👍' }).waitFor();
    await question.hover();
    await question.getByRole('button', { name: 'React' }).click();
    await page().getByRole('menuitem', { name: 'Take the reaction back' }).click();
    await question.getByRole('img', { name: 'You: 👍' }).waitFor({ state: 'detached' });
    const reactions = (await accepted(ada.phone)).filter(({ type }) => type === 'reaction');
    expect(reactions.map(({ payload }) => payload.reaction?.emoji)).toEqual(['👍', '']);
    await question.hover();
    await question.getByRole('button', { name: 'Answer this message' }).click();
    await composer(page()).fill('Until six');
    await page().keyboard.press('Enter');
    const answer = page().locator('.message.ours').filter({ hasText: 'Until six' });
    await answer.getByLabel('In reply to').filter({ hasText: 'Is the shop open?' }).waitFor();
    const quoted = (await accepted(ada.phone)).find(({ payload }) => payload.text?.body === 'Until six');
    expect(quoted?.payload.context?.message_id).toBe(reactions[0]?.payload.reaction?.message_id);
  });

  test('sends a file larger than a call of the API takes, once, and shows a picture that came', async () => {
    const bytes = Buffer.concat([Buffer.from('%PDF-1.4\n'), Buffer.alloc(5 * 1024 * 1024)]);
    await page().locator('.composer input[type=file]').setInputFiles({ name: 'catalogue.pdf', mimeType: 'application/pdf', buffer: bytes });
    await composer(page()).fill('The whole catalogue');
    await page().keyboard.press('Enter');
    const sent = page().locator('.message.ours').filter({ hasText: 'The whole catalogue' });
    await sent.getByLabel('Read', { exact: true }).waitFor();
    await sent.getByText('catalogue.pdf').waitFor();
    expect((await accepted(ada.phone)).filter(({ payload }) => payload.document?.filename === 'catalogue.pdf')).toHaveLength(1);
    const field = page().locator('.composer input[type=file]');
    const small = { name: 'list.txt', mimeType: 'text/plain', buffer: Buffer.from('Bread') };
    await field.setInputFiles({ name: 'setup.exe', mimeType: 'application/x-msdownload', buffer: Buffer.from('MZ') });
    await page().locator('.toast').filter({ hasText: 'setup.exe' }).waitFor();
    await field.setInputFiles([small, { ...small, name: 'prices.txt' }]);
    await page().locator('.attached').filter({ hasText: 'prices.txt' }).waitFor();
    await openThread(page(), 'Grace Hopper');
    await expect.poll(() => page().locator('.attached').count()).toBe(0);
    await openThread(page(), ada.name);
    await expect.poll(() => page().locator('.attached').count()).toBe(2);
    await page().getByRole('button', { name: 'Remove list.txt' }).click();
    await field.setInputFiles(small);
    await page().getByRole('button', { name: 'Send', exact: true }).click();
    for (const name of ['list.txt', 'prices.txt']) {
      await page().locator('.message.ours').filter({ hasText: name }).getByLabel('Read', { exact: true }).waitFor();
      expect((await accepted(ada.phone)).filter(({ payload }) => payload.document?.filename === name)).toHaveLength(1);
    }
    await inbound({ type: 'image', media: { caption: 'It arrived like this' } });
    const picture = messageOf(page(), 'It arrived like this').locator('img');
    await picture.waitFor();
    await expect.poll(() => page().evaluate<number>('document.querySelector(".message img").naturalWidth')).toBeGreaterThan(0);
    await inbound({ type: 'image', media: { caption: 'And the box' } });
    await messageOf(page(), 'And the box').locator('img').waitFor();
    await picture.click();
    const viewer = page().getByRole('dialog', { name: 'It arrived like this' });
    await viewer.getByText('1 of 2').waitFor();
    await page().keyboard.press('ArrowRight');
    await page().getByRole('dialog', { name: 'And the box' }).getByText('2 of 2').waitFor();
    await page().keyboard.press('Escape');
    await page().getByRole('dialog').waitFor({ state: 'detached' });
    expect(page().url()).toMatch(/inbox\/\d+/);
  });

  test('shows the contact that an answer is being written, and agents what the contact answers and does', async () => {
    await inbound({ type: 'text', text: 'Do you deliver?' });
    await openThread(page(), ada.name);
    const { api, control } = swb().product;
    const flow = { type: 'flow', flow_id: '1', button: 'Choose a day', screen: 'DAYS' } as const;
    await api.messages.sendInteractive({ body: { phone: `+${ada.phone}`, message: 'Which day suits you?', interactive: flow } });
    await messageOf(page(), 'Which day suits you?').getByText('Choose a day').waitFor();
    await inbound({ type: 'nfm_reply', nfm_reply: { response_json: '{"delivery_day":"Tuesday","flow_token":"a-token"}' } });
    const answer = messageOf(page(), 'Answer to the form');
    await answer.getByText('Tuesday').waitFor();
    expect(await answer.innerText()).not.toContain('a-token');
    const items = [{ product_retailer_id: 'rye bread', quantity: 2, item_price: 4.5, currency: 'EUR' }];
    await inbound({ type: 'order', order: { catalog_id: '1', product_items: items } });
    await messageOf(page(), '2 × rye bread').getByText('€9.00').waitFor();
    await inbound({ type: 'system', system: { type: 'customer_identity_changed', body: 'The identity changed.' } });
    await page().locator('.system-line').filter({ hasText: 'another device' }).waitFor();
    await inbound({ type: 'unsupported', unsupported: { type: 'poll_creation' } });
    await messageOf(page(), 'poll creation').waitFor();
    await composer(page()).fill('Where shall we bring it?');
    await page().getByRole('button', { name: 'Buttons, a list, a link or a place' }).click();
    const dialog = page().getByRole('dialog');
    await dialog.getByLabel('Below the text').selectOption({ label: 'A request for the location' });
    await dialog.getByRole('button', { name: 'Send' }).click();
    await messageOf(page(), 'Where shall we bring it?').getByText('A request for the location').waitFor();
    await messageOf(page(), 'Where shall we bring it?').getByLabel('Read', { exact: true }).waitFor();
    const requested = (await accepted(ada.phone)).filter(({ payload }) => payload.interactive?.body?.text === 'Where shall we bring it?');
    expect(requested.map(({ payload }) => payload.interactive?.type)).toEqual(['location_request_message']);
    await composer(page()).pressSequentially('On Tuesday');
    const typing = async (): Promise<number> => {
      const { data } = (await control('GET', 'provider/receipts')).body as { data: { typing: boolean }[] };
      return data.filter((receipt) => receipt.typing).length;
    };
    await expect.poll(typing).toBeGreaterThan(0);
    await page().keyboard.press('Enter');
    await messageOf(page(), 'On Tuesday').getByLabel('Read', { exact: true }).waitFor();
  });
};
