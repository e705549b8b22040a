import type { Stack } from 'aws-cdk-lib';
import { EventBus } from 'aws-cdk-lib/aws-events';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { BusSpec } from '../../shared/contract/resource.ts';
import { idOf } from './naming.ts';
import type { Settings } from './settings.ts';

/** The bus of the product's events, published with the setting `publishEvents`. Subscribers outside the product add their own rules. */
export const makeBus = (stack: Stack, settings: Settings, spec: BusSpec): EventBus =>
  new EventBus(stack, idOf(spec.name, 'bus'), { eventBusName: `${settings.stackName}-${spec.name}` });

export const publishStatement = (bus: EventBus): PolicyStatement =>
  new PolicyStatement({ actions: ['events:PutEvents'], resources: [bus.eventBusArn] });
