import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { app } from '../../functions/app.ts';
import { parseSettings } from '../../lib/aws/settings.ts';
import { newCompany } from '../support/company.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';
import { templateOf } from './template.ts';

describe('the logs of AWS', () => {
  let testApp: TestApp;
  beforeAll(async () => {
    testApp = await startTestApp();
  });
  afterAll(() => testApp.stop());

  test('are joined with the lines of a request, of what follows from it, and of the stream by the ids that AWS has', async () => {
    const company = await newCompany();
    const from = testApp.logs.length;
    await testApp.call({ method: 'POST', path: '/api/v1/contacts', token: company.tokens.owner, body: { phone: '+4915112345678' } });
    await testApp.drain();
    const lines = testApp.logs.slice(from);
    const [request] = lines.filter(({ message }) => message === 'request');
    expect(request).toMatchObject({
      request_id: expect.stringMatching(/^req_/),
      gateway_request_id: expect.any(String),
      function_request_id: expect.any(String),
      function: expect.any(String),
    });
    for (const line of lines.filter(({ message }) => message !== undefined))
      expect(line, JSON.stringify(line)).toHaveProperty('function_request_id');
  });

  const template = templateOf(app, { stackName: 'switchboard-test' });

  test('are searched by saved queries, over all functions of the stack and of no other', () => {
    const queries = template
      .ofType('AWS::Logs::QueryDefinition')
      .map(({ Properties }) => Properties as { Name: string; QueryString: string });
    expect(queries).toHaveLength(3);
    for (const { Name, QueryString } of queries) {
      expect(Name).toMatch(/^switchboard-test\//);
      expect(QueryString).toMatch(/^SOURCE logGroups\(namePrefix: \['\/aws\/lambda\/switchboard-test-'\]\)\n\| fields /);
    }
  });
});

test('a budget writes to who gets the alarms, and is made for a stage that names an amount', () => {
  expect(templateOf(app).ofType('AWS::Budgets::Budget')).toEqual([]);
  const [budget, ...others] = templateOf(app, { monthlyBudget: '250', alarmEmail: 'ops@acme.de' }).ofType('AWS::Budgets::Budget');
  expect(others).toEqual([]);
  expect(budget?.Properties).toMatchObject({
    Budget: {
      BudgetName: { 'Fn::Join': ['', ['switchboard-', { Ref: 'AWS::Region' }]] },
      TimeUnit: 'MONTHLY',
      BudgetLimit: { Amount: 250, Unit: 'USD' },
    },
    NotificationsWithSubscribers: [
      { Notification: { NotificationType: 'ACTUAL', Threshold: 80 }, Subscribers: [{ SubscriptionType: 'EMAIL', Address: 'ops@acme.de' }] },
      { Notification: { NotificationType: 'ACTUAL', Threshold: 100 } },
      { Notification: { NotificationType: 'FORECASTED', Threshold: 100 } },
    ],
  });
  expect(() => parseSettings({ monthlyBudget: 250 })).toThrow(/monthlyBudget: needs alarmEmail/);
});
