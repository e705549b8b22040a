/**
 * Published prices of AWS in us-east-1, US dollars, beyond the free tiers, as last read on 2026-11-21. Data: when a price changes, change
 * it here and run `npm run bench -- --pages`.
 */
export const prices = {
  /** https://aws.amazon.com/dynamodb/pricing/on-demand/ */
  writeUnit: 0.625 / 1e6,
  readUnit: 0.125 / 1e6,
  tableGbMonth: 0.25,
  recoveryGbMonth: 0.2,
  /** https://aws.amazon.com/backup/pricing/ (warm storage of DynamoDB) */
  backupGbMonth: 0.1,
  /** https://aws.amazon.com/api-gateway/pricing/ (HTTP API, first 300 million a month, and all beyond them) */
  apiRequest: 1 / 1e6,
  apiFirstRequests: 300e6,
  apiRequestMore: 0.9 / 1e6,
  /** https://aws.amazon.com/cloudfront/pricing/ (HTTPS requests, United States) */
  siteRequest: 1 / 1e6,
  /** https://aws.amazon.com/lambda/pricing/ (Arm) */
  lambdaRequest: 0.2 / 1e6,
  lambdaGbSecond: 0.0000133334,
  /** https://aws.amazon.com/sqs/pricing/ (standard queues) */
  queueRequest: 0.4 / 1e6,
  /** https://aws.amazon.com/ses/pricing/ (outbound mail) */
  email: 0.1 / 1e3,
  /** https://aws.amazon.com/eventbridge/pricing/ (custom events) */
  busEvent: 1 / 1e6,
  /** https://aws.amazon.com/appsync/pricing/ (Event APIs: operations, and minutes of connections) */
  doorbellMessage: 1 / 1e6,
  doorbellMinute: 0.08 / 1e6,
  /** https://aws.amazon.com/cloudwatch/pricing/ */
  alarmMonth: 0.1,
  dashboardMonth: 3,
  metricMonth: 0.3,
  /** https://aws.amazon.com/xray/pricing/ */
  trace: 5 / 1e6,
  logGb: 0.5,
  /** https://aws.amazon.com/secrets-manager/pricing/ */
  secretMonth: 0.4,
} as const;
