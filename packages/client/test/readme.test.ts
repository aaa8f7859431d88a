import { type Server, startServer } from '@animal-store/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Consumer, createConsumer } from './consumer.ts';
import { readExamples } from './readme.ts';

const examples = await readExamples();
const resources = new AsyncDisposableStack();
let service: Server;
let consumer: Consumer;

beforeAll(async () => {
  service = resources.use(await startServer());
  consumer = resources.use(await createConsumer());
});

afterAll(() => resources.disposeAsync());

const outputs = [
  /^Mia is for sale\n$/,
  /^\d+ animals\n0 since then\n\d+\n$/,
  /^400 invalid_request name: .*\n$/,
  /^true\n$/,
  /^$/,
  /^true\n$/,
  /^listPets attempt 1\n200 \d+\n\d \S+\n$/,
  /^\{"name":"Mia","categoryId":9007199254740993\} \{ name: 'Mia', categoryId: 9007199254740993n \}\n$/,
  /^Mia,Tom 2\n$/,
  /^\w+\n2 of three\n$/,
];

test.each(examples.map((code, index) => [index, code] as const))(
  'example %i of the README runs as it stands',
  async (index, code) => {
    expect(examples).toHaveLength(outputs.length);
    const program = code
      .replaceAll("'http://127.0.0.1:3000/v1'", JSON.stringify(service.baseUrl))
      .replaceAll("'ast_your_key'", JSON.stringify(service.demoKey));
    await consumer.write(`example-${index}.mts`, program);
    expect(await consumer.run(process.execPath, [`example-${index}.mts`])).toMatch(
      outputs[index] ?? '',
    );
  },
);
