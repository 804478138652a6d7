//! Columns of categories as what they stand for: dictionaries, as data frames make them of texts that
//! repeat, become plain columns. Other columns are passed on as they are, without a copy.

use arrow_array::cast::AsArray;
use arrow_array::{ArrayRef, RecordBatch, RecordBatchOptions};
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef};
use arrow_select::take::take;
use std::sync::Arc;

/// The schema without dictionaries.
pub(crate) fn schema(schema: &Schema) -> SchemaRef {
    let field = |field: &Arc<Field>| match field.data_type() {
        DataType::Dictionary(_, values) => {
            Arc::new(Field::new(field.name(), (**values).clone(), true))
        }
        _ => field.clone(),
    };
    Arc::new(Schema::new(schema.fields().iter().map(field).collect::<Vec<_>>()))
}

/// The batch without dictionaries.
pub(crate) fn batch(batch: &RecordBatch) -> Result<RecordBatch, ArrowError> {
    let is_dictionary = |column: &ArrayRef| matches!(column.data_type(), DataType::Dictionary(..));
    if !batch.columns().iter().any(is_dictionary) {
        return Ok(batch.clone());
    }
    let column = |column: &ArrayRef| match column.as_any_dictionary_opt() {
        Some(dictionary) => take(dictionary.values(), dictionary.keys(), None),
        None => Ok(column.clone()),
    };
    let columns = batch.columns().iter().map(column).collect::<Result<Vec<_>, _>>()?;
    let options = RecordBatchOptions::new().with_row_count(Some(batch.num_rows()));
    RecordBatch::try_new_with_options(schema(&batch.schema()), columns, &options)
}

#[cfg(test)]
mod tests {
    use super::*;
    use arrow_array::types::Int32Type;
    use arrow_array::{DictionaryArray, Int64Array, StringArray};

    #[test]
    fn categories_become_what_they_stand_for() {
        let words: DictionaryArray<Int32Type> =
            [Some("CCO"), None, Some("CC"), Some("CCO")].into_iter().collect();
        let numbers = Int64Array::from(vec![1, 2, 3, 4]);
        let before = RecordBatch::try_from_iter_with_nullable([
            ("smiles", Arc::new(words) as ArrayRef, true),
            ("y", Arc::new(numbers) as ArrayRef, false),
        ])
        .unwrap();
        let after = batch(&before).unwrap();
        let expected = StringArray::from(vec![Some("CCO"), None, Some("CC"), Some("CCO")]);
        assert_eq!(after.column(0).as_string::<i32>(), &expected);
        assert_eq!(after.column(1), before.column(1));
        assert_eq!(after.schema(), schema(&before.schema()));
    }
}
