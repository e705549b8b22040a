import { expect, test } from 'vitest';
import { app } from '../../functions/app.ts';
import { templateOf } from './template.ts';

/** CloudFormation replaces what gets another logical id: a table with all data, or an address that is entered at a provider. */
const frozen = {
  'AWS::DynamoDB::GlobalTable': ['TableCD117FA1'],
  'AWS::SecretsManager::Secret': [
    'CursorSecretABAE1358',
    'ErasureSecretBB4A0726',
    'SealingSecret418D1914',
    'SiteEntranceSecretB44D7393',
    'StoreplatformAppSecretBB9A7A63',
  ],
  'AWS::S3::Bucket': [
    'ConsoleSiteBucketA5E1DFB0',
    'ContactImportsBucket91B71EF9',
    'ContactSearchBucketE212C624',
    'DelayedChangesBucketB614DFD4',
    'JournalBucket71692BB1',
    'MediaBucketBCBB02BA',
  ],
  'AWS::Lambda::Url': ['MessagingWebhookUrl66C8C0A1', 'ShopCustomUrl99936FA8', 'ShopWebhookUrl784E6119'],
  'AWS::SQS::Queue': [
    'CampaignBlocksQueueC94570AD',
    'CampaignBuildsQueue95B400DA',
    'CampaignChecksQueue12828E88',
    'ChangesDead0FA05399',
    'ConsentKeywordsQueue2399D242',
    'ContactImportsQueueFF832451',
    'CrmWorkQueue90EDE2BB',
    'DeadLettersBBF8BAAB',
    'ErasuresQueue7C4DE450',
    'InboundMediaQueueB4737008',
    'ParkedStatusesQueue5EEC1DF5',
    'ProviderStatusesQueueD3A42552',
    'ProviderUpdatesQueueDCA66576',
    'ReachabilityQueue439F7A53',
    'ReadReceiptsQueue08A4630C',
    'SendsQueue45ADF9CF',
    'ShopConnectionsQueue811E53CB',
    'ShopDeliveriesQueue0A8AC086',
    'ShopFollowupsQueue71C5CA3A',
    'TemplateSyncsQueue333F3078',
    'UnconfirmedSendsQueueD8B46A25',
    'VerificationCodesQueueAC9018CB',
    'VerificationExpiriesQueueC383D54C',
    'VerificationOneClickQueue429EC7E4',
    'WebhookEventsQueue16EA6A1D',
    'WebhookRetriesQueue46071920',
    'WebhookWakesQueue924809D1',
  ],
  'AWS::ApiGatewayV2::Api': ['ApiF70053CD'],
  'AWS::CloudFront::Distribution': ['SiteE53D7754'],
  'AWS::Backup::BackupVault': ['BackupVault3A9C5852'],
  'AWS::SNS::Topic': ['Alarm7103F465'],
  'AWS::Events::EventBus': ['DomainBus03EF5A45'],
} as const;

const backupVaultArn = 'arn:aws:backup:eu-west-1:210987654321:backup-vault:switchboard-copies';
const template = templateOf(app, { site: true, backupVaultArn });

test.each(Object.keys(frozen))('%s keeps its logical ids, so that no deploy replaces what it holds', (type) => {
  expect(
    template
      .ofType(type)
      .map(({ id }) => id)
      .toSorted(),
  ).toEqual(frozen[type as keyof typeof frozen]);
});
