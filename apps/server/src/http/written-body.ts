/**
 * The body of a response that is a text already: JSON that the database has written, or CSV. A handler
 * returns it instead of the value that the text means, and `res.json` sends it as it is.
 */
export class WrittenBody {
  readonly text: string;
  readonly type: string;

  constructor(text: string, type = 'application/json; charset=utf-8') {
    this.text = text;
    this.type = type;
  }
}
