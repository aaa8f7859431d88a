import { describe } from 'vitest';
import { describeAccountModel } from '../quotas/account-model-suite.ts';
import { testPatientClient } from '../quotas/patient-client.ts';
import { describeQuotaModel } from '../quotas/quota-model-suite.ts';

describeQuotaModel({ batches: 1_000, replicas: 1_000, memory: 10_000 });

describe('accounts', () => {
  describeAccountModel({ batches: 1_000, replicas: 1_000, memory: 10_000 });
});

testPatientClient(10_000);
