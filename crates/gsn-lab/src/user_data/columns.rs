//! [`InputColumns`]: what the rows of the user's file say beside graph and targets, so that tables of
//! a run can be read without the file.

/// Names and other columns of the rows.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct InputColumns {
    names: Vec<String>,
    /// By row, rising.
    rows: Vec<(u64, String, Vec<String>)>,
}

impl InputColumns {
    /// Names of columns that name rows, in any case; the first one that is there does.
    pub(super) const ID_NAMES: [&str; 9] = [
        "id",
        "name",
        "identifier",
        "compound_id",
        "compound id",
        "molecule_id",
        "mol_id",
        "compound",
        "title",
    ];

    /// Columns without rows.
    pub(super) fn new(names: Vec<String>) -> Self {
        Self { names, rows: Vec::new() }
    }

    /// Adds a row, whose number is above those before it.
    pub(super) fn push(&mut self, row: u64, id: String, cells: Vec<String>) {
        self.rows.push((row, id, cells));
    }

    /// Names of the columns: the SMILES first, then the others in the order of the file, without
    /// the targets and the column that names the rows.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    fn find(&self, row: u64) -> Option<&(u64, String, Vec<String>)> {
        self.rows.binary_search_by_key(&row, |(row, ..)| *row).ok().map(|at| &self.rows[at])
    }

    /// What names a row; empty if nothing does.
    pub fn id(&self, row: u64) -> &str {
        self.find(row).map_or("", |(_, id, _)| id)
    }

    /// The cells of a row, one a column; empty if the row is not there.
    pub fn cells(&self, row: u64) -> &[String] {
        self.find(row).map_or(&[], |(.., cells)| cells)
    }
}
