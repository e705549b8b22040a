import { CfnOutput, type Stack } from 'aws-cdk-lib';
import { CfnDatabase, CfnTable } from 'aws-cdk-lib/aws-glue';
import type { Bucket } from 'aws-cdk-lib/aws-s3';
import type { TableOfRows } from '../../shared/contract/resource.ts';
import { idOf } from './naming.ts';
import type { Settings } from './settings.ts';

/**
 * What Athena knows of the rows in a bucket: a table whose partitions it makes up from company and month, so that none has to be added
 * (https://docs.aws.amazon.com/athena/latest/ug/partition-projection.html). A query names its company.
 */
export const makeRowsTable = (
  stack: Stack,
  { stackName }: Settings,
  { bucketName }: Pick<Bucket, 'bucketName'>,
  name: string,
  { name: tableName, purpose, columns }: TableOfRows,
): void => {
  const databaseName = `${stackName}_${name}`.toLowerCase().replaceAll('-', '_');
  const database = new CfnDatabase(stack, idOf(name, 'database'), { catalogId: stack.account, databaseInput: { name: databaseName } });
  const location = `s3://${bucketName}/${tableName}`;
  const table = new CfnTable(stack, idOf(name, tableName, 'table'), {
    catalogId: stack.account,
    databaseName,
    tableInput: {
      name: tableName,
      description: purpose,
      tableType: 'EXTERNAL_TABLE',
      partitionKeys: [
        { name: 'company_id', type: 'bigint' },
        { name: 'month', type: 'string' },
      ],
      parameters: {
        EXTERNAL: 'TRUE',
        'projection.enabled': 'true',
        'projection.company_id.type': 'injected',
        'projection.month.type': 'date',
        'projection.month.format': 'yyyy-MM',
        'projection.month.range': '2024-01,NOW',
        'projection.month.interval': '1',
        'projection.month.interval.unit': 'MONTHS',
        'storage.location.template': `${location}/company_id=\${company_id}/month=\${month}/`,
      },
      storageDescriptor: {
        columns: Object.entries(columns).map(([column, type]) => ({ name: column, type })),
        location: `${location}/`,
        inputFormat: 'org.apache.hadoop.mapred.TextInputFormat',
        outputFormat: 'org.apache.hadoop.hive.ql.io.HiveIgnoreKeyTextOutputFormat',
        serdeInfo: { serializationLibrary: 'org.openx.data.jsonserde.JsonSerDe' },
      },
    },
  });
  table.addDependency(database);
  new CfnOutput(stack, idOf(name, 'database', 'name'), {
    value: databaseName,
    description: `The database of the bucket ${name}, for Athena`,
  });
};
